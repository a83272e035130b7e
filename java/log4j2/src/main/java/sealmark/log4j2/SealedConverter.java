package sealmark.log4j2;

import java.util.List;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.core.pattern.ConverterKeys;
import org.apache.logging.log4j.core.pattern.LogEventPatternConverter;
import org.apache.logging.log4j.core.pattern.PatternConverter;
import org.apache.logging.log4j.core.pattern.PatternFormatter;
import org.apache.logging.log4j.util.Strings;
import sealmark.log.Label;
import sealmark.log.Sealers;
import sealmark.log.Tokens;
import sealmark.log.ValueNames;

/**
 * Seals the text that a pattern writes: {@code %sealed{%X{email}}{email}}, {@code %sealed{%m}{message}}.
 *
 * <p>The first option is the pattern, the second the label ({@code value} if there is none), the third the name of the sealer
 * ({@code default}). An empty text stays empty, and a token that is in the text stays as it is.
 *
 * <p>Without {@code <SealedLayout>} around its layout, or a side file of the sealer, no key could open the tokens: values
 * become markers then, and the status logger gets an error.
 *
 * <p>Log4j adds {@code %ex} to a pattern without a word for exceptions. In a pattern with {@code %sealed}, the last one writes the
 * exception instead, after the value and as {@code %sealedEx} does. Exceptions are in the clear only if the pattern itself has
 * {@code %ex}; {@code %sealedEx{none}} leaves them out, and {@code alwaysWriteExceptions="false"} alone does not.
 */
@Plugin(name = "sealed", category = PatternConverter.CATEGORY)
@ConverterKeys("sealed")
public final class SealedConverter extends LogEventPatternConverter {
    private final List<PatternFormatter> formatters;
    private final Label label;
    private final String sealer;
    private final Configuration configuration;
    private final List<String> options;
    private final SealedThrowableConverter exceptions;
    private final ValueNames counts;
    private final boolean isWithinAnother;
    /** Null until an exception is logged, as the pattern around this is not known before. */
    private volatile Boolean writesExceptions;

    private SealedConverter(Configuration configuration, String[] options) {
        super("sealed", "sealed");
        this.configuration = configuration;
        this.options = List.of(options);
        formatters = PatternLayout.createPatternParser(configuration).parse(option(options, 0, ""));
        label = Label.fit(option(options, 1, "value"));
        sealer = option(options, 2, Sealers.DEFAULT);
        exceptions = SealedThrowableConverter.newInstance(configuration, new String[] {"sealer(" + sealer + ")"});
        isWithinAnother = isWithinAnother();
        Endings.watch(configuration);
        counts = Endings.names(configuration, List.of(label.toString()), "%sealed",
                "write keys exactly as in the thread context: %sealed{%X{email}}{email}");
    }

    /**
     * Called by Log4j when it reads a pattern.
     *
     * @param configuration knows the converters of the pattern inside
     * @param options pattern, label and sealer
     * @return a converter, even where an option is missing
     */
    public static SealedConverter newInstance(Configuration configuration, String[] options) {
        if (options.length == 0) {
            LOGGER.error("%sealed has nothing to seal, and its braces may not match\n"
                    + "hint: %sealed{%X{email}}{email}");
        }
        return new SealedConverter(configuration, options);
    }

    String sealer() {
        return sealer;
    }

    boolean isEmpty() {
        return formatters.isEmpty();
    }

    @Override
    public void format(LogEvent shown, StringBuilder out) {
        LogEvent event = OtherThrown.original(shown);
        int start = out.length();
        try {
            // Not in Log4j's own buffer, which lives as long as its thread.
            StringBuilder plain = new StringBuilder();
            formatters.forEach(formatter -> formatter.format(event, plain));
            counts.record();
            if (plain.length() > 0) {
                counts.matched(label.toString());
                out.append(Tokens.seal(WithoutHeaders.sealer(configuration, sealer), label, plain));
            }
        } catch (Throwable error) {
            LOGGER.warn("the content of %sealed{…}{{}} could not be formatted: {}", label, error.getClass().getName());
            out.setLength(start);
            out.append(Sealers.find(sealer).unsealed(label, error.getClass().getName()));
        }
        if (event.getThrown() != null && writesExceptions()) {
            StringBuilder exception = new StringBuilder(Strings.LINE_SEPARATOR);
            exceptions.format(event, exception);
            out.append(exception.toString().stripTrailing());
        }
    }

    /** Always, as Log4j would add {@code %ex}, in the clear, to a pattern without a word for exceptions. */
    @Override
    public boolean handlesThrowable() {
        return true;
    }

    private boolean writesExceptions() {
        Boolean known = writesExceptions;
        if (known == null) {
            known = isWantedForExceptions();
            writesExceptions = known;
            if (known) {
                LOGGER.info("the pattern has no conversion word for exceptions, so %sealed writes them: {}\n"
                        + "hint: %sealedEx, or %sealedEx{none} to leave them out", options);
            }
        }
        return known;
    }

    /** Log4j does not tell in which pattern this stands. In one that no appender has, an exception twice is no leak. */
    private boolean isWantedForExceptions() {
        if (isWithinAnother) {
            return true;
        }
        boolean isFound = false;
        for (Appender appender : configuration == null ? List.<Appender>of() : configuration.getAppenders().values()) {
            List<LogEventPatternConverter> words = words(SealedLayout.inside(appender.getLayout()), configuration);
            SealedConverter last = null;
            for (LogEventPatternConverter word : words) {
                if (word instanceof SealedConverter sealed) {
                    last = sealed;
                    isFound |= sealed.options.equals(options);
                }
            }
            if (last != null && last.options.equals(options) && words.stream().noneMatch(SealedConverter::isForExceptions)) {
                return true;
            }
        }
        return !isFound;
    }

    /** True in {@code %notEmpty} and its like: they do not name the words in them, so this one would be found in no pattern. */
    private static boolean isWithinAnother() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> frames
                .filter(frame -> frame.getMethodName().equals("newInstance")
                        && PatternConverter.class.isAssignableFrom(frame.getDeclaringClass()))
                .count()) > 1;
    }

    /** The conversion words of a layout; none if it has no pattern. */
    static List<LogEventPatternConverter> words(Layout<?> layout, Configuration configuration) {
        return layout instanceof PatternLayout pattern && pattern.getConversionPattern() != null
                ? words(pattern.getConversionPattern(), configuration)
                : List.of();
    }

    static List<LogEventPatternConverter> words(String pattern, Configuration configuration) {
        return PatternLayout.createPatternParser(configuration).parse(pattern).stream()
                .map(PatternFormatter::getConverter).toList();
    }

    private static boolean isForExceptions(LogEventPatternConverter word) {
        return word instanceof SealedConverter sealed
                ? sealed.formatters.stream().anyMatch(one -> isForExceptions(one.getConverter()))
                : word.handlesThrowable();
    }

    private static String option(String[] options, int at, String otherwise) {
        return at < options.length && !options[at].isEmpty() ? options[at] : otherwise;
    }
}
