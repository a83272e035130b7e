package sealmark.log4j2;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.routing.RoutingAppender;
import org.apache.logging.log4j.core.config.AppenderControl;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.Node;
import org.apache.logging.log4j.core.filter.AbstractFilter;
import org.apache.logging.log4j.core.filter.AbstractFilterable;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.core.pattern.LogEventPatternConverter;

/**
 * Hides exceptions from the {@code %xEx} that Log4j adds, in the clear, to a pattern whose sealing words are all within others.
 *
 * <p>Before 2.25, {@code %notEmpty} and its like do not say that a word in them writes exceptions. Their layout gets events
 * without exceptions, and sealing words ask for the original. {@code <SealedLayout>} does this for the layout inside, and a
 * filter for an appender without one, because Log4j changes no layout after it has read the pattern.
 */
final class AddedExceptions extends AbstractFilter {
    /** Not {@code %%sealed}, which is text. */
    private static final Pattern SEALING = Pattern.compile("(?<!%)(?:%%)*%[-.\\d]*sealed");

    private final AppenderControl appender;
    /** The appender's own filter, or null. */
    private final Filter own;

    private AddedExceptions(Appender appender, Filter own) {
        this.appender = new AppenderControl(appender, null, null);
        this.own = own;
    }

    /** True if Log4j adds an exception to the pattern of a layout although the pattern has a sealing word. */
    static boolean isIn(Layout<?> layout, Configuration configuration) {
        if (!(layout instanceof PatternLayout pattern)) {
            return false;
        }
        // A selector does not tell its patterns apart, so that one of them decides for all.
        boolean isSelector = !Objects.equals(pattern.toString(), pattern.getConversionPattern());
        return isSelector
                ? SEALING.matcher(pattern.toString()).find() && isIn("%notEmpty{%sealedEx}", configuration)
                : isIn(pattern.getConversionPattern(), configuration);
    }

    private static boolean isIn(String pattern, Configuration configuration) {
        return pattern != null
                && SEALING.matcher(pattern).find()
                && SealedConverter.words(pattern, configuration).stream().noneMatch(LogEventPatternConverter::handlesThrowable);
    }

    /** True if it adds one in an appender. {@code Routing} creates its layouts only when it needs them. */
    private static boolean isIn(Appender appender, Configuration configuration) {
        return appender instanceof RoutingAppender routing
                ? Stream.of(routing.getRoutes().getRoutes()).anyMatch(route -> isIn(route.getNode(), configuration))
                : isIn(appender.getLayout(), configuration);
    }

    private static boolean isIn(Node node, Configuration configuration) {
        return node.getAttributes().values().stream().anyMatch(text -> isIn(text, configuration))
                || isIn(node.getValue(), configuration)
                || node.getChildren().stream().anyMatch(child -> isIn(child, configuration));
    }

    /** Adds a filter to each appender of a configuration that needs one. */
    static void hideFrom(Configuration configuration) {
        for (Appender appender : configuration.getAppenders().values()) {
            if (appender instanceof AbstractFilterable filterable
                    && !(filterable.getFilter() instanceof AddedExceptions)
                    && isIn(appender, configuration)) {
                Filter own = filterable.getFilter();
                filterable.addFilter(new AddedExceptions(appender, own));
                // The new one asks it, because Log4j would stop at an ACCEPT of it.
                filterable.removeFilter(own);
            }
        }
    }

    /** The event that such a layout gets. */
    @SuppressWarnings("deprecation") // An event from another JVM may have the proxy only.
    static LogEvent hide(LogEvent event) {
        return event.getThrown() == null && event.getThrownProxy() == null ? event : OtherThrown.of(event, null);
    }

    @Override
    public Result filter(LogEvent event) {
        LogEvent hidden = hide(event);
        if (hidden != event) {
            // Some appenders keep events, and the original may be used again for another record.
            appender.callAppender(hidden.toImmutable());
            return Result.DENY;
        }
        return own == null ? Result.NEUTRAL : own.filter(event);
    }

    @Override
    public boolean stop(long timeout, TimeUnit unit) {
        if (own != null) {
            own.stop();
        }
        return super.stop(timeout, unit);
    }
}
