package sealmark.log4j2;

import java.beans.PropertyChangeEvent;
import java.beans.PropertyChangeListener;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.core.pattern.LogEventPatternConverter;
import org.apache.logging.log4j.core.pattern.PatternFormatter;
import org.apache.logging.log4j.status.StatusLogger;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;

/**
 * Tells of appenders whose pattern seals, but stands in no {@code <SealedLayout>}: nobody could open tokens there, so values
 * become markers. Log4j does not tell a converter which appender it stands in, so this is known when the configuration is
 * complete, or else when the first value comes.
 */
final class WithoutHeaders implements PropertyChangeListener {
    private static final Logger LOGGER = StatusLogger.getLogger();
    private static final String KEY = WithoutHeaders.class.getName();
    /** For converters whose configuration is not known. */
    private static final WithoutHeaders ANYWHERE = new WithoutHeaders();

    /** Guarded by this. */
    private WeakReference<Configuration> toldOf = new WeakReference<>(null);
    private boolean hasTold;

    private WithoutHeaders() {}

    /** Looks for such appenders when the configuration is complete; called by everything that seals. */
    static void watch(Configuration configuration) {
        of(configuration);
    }

    private static WithoutHeaders of(Configuration configuration) {
        LoggerContext context = configuration == null ? null : configuration.getLoggerContext();
        if (context == null) {
            return ANYWHERE;
        }
        synchronized (context) {
            if (context.getObject(KEY) instanceof WithoutHeaders known) {
                return known;
            }
            WithoutHeaders made = new WithoutHeaders();
            context.putObject(KEY, made);
            context.addPropertyChangeListener(made);
            return made;
        }
    }

    /** The sealer for a value in a record that is being laid out; one that makes markers where nobody could open a token. */
    static LogSealer sealer(Configuration configuration, String name) {
        return Sealers.forLine(name, () -> of(configuration).tell(configuration, true));
    }

    @Override
    public void propertyChange(PropertyChangeEvent change) {
        if (change.getPropertyName().equals(LoggerContext.PROPERTY_CONFIG)
                && change.getNewValue() instanceof Configuration configuration) {
            tell(configuration, false);
        }
    }

    private void tell(Configuration configuration, boolean isCertain) {
        synchronized (this) {
            if (hasTold && toldOf.refersTo(configuration)) {
                return;
            }
        }
        List<String> found = new ArrayList<>();
        if (configuration != null) {
            configuration.getAppenders().forEach((name, appender) -> {
                if (sealsWithoutHeaders(appender, configuration)) {
                    found.add(name);
                }
            });
        }
        if (!isCertain && found.isEmpty()) {
            return;
        }
        synchronized (this) {
            hasTold = true;
            toldOf = new WeakReference<>(configuration);
        }
        LOGGER.error("{} writes no headers, so the values that its pattern seals become markers\n"
                + "hint: <SealedLayout><PatternLayout pattern=\"…\"/></SealedLayout>, or a sideFile of <Sealer> where"
                + " messages are sent",
                found.isEmpty() ? "an appender" : "appender \"" + String.join("\", \"", found) + "\"");
    }

    private static boolean sealsWithoutHeaders(Appender appender, Configuration configuration) {
        Layout<?> layout = appender.getLayout();
        return layout instanceof PatternLayout pattern && pattern.getConversionPattern() != null
                && PatternLayout.createPatternParser(configuration).parse(pattern.getConversionPattern()).stream()
                        .map(PatternFormatter::getConverter).anyMatch(WithoutHeaders::needsHeader);
    }

    private static boolean needsHeader(LogEventPatternConverter word) {
        return word instanceof SealedConverter sealed ? Sealers.needsHeader(sealed.sealer())
                : word instanceof SealedThrowableConverter exception && Sealers.needsHeader(exception.sealer());
    }
}
