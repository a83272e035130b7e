package sealmark.log4j2;

import java.util.List;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.core.pattern.ConverterKeys;
import org.apache.logging.log4j.core.pattern.LogEventPatternConverter;
import org.apache.logging.log4j.core.pattern.PatternConverter;
import org.apache.logging.log4j.core.pattern.PatternFormatter;
import sealmark.log.Label;
import sealmark.log.Sealers;
import sealmark.log.Tokens;

/**
 * Seals what a pattern writes: {@code %sealed{%X{email}}{email}}, {@code %sealed{%m}{message}}.
 *
 * <p>The first option is the pattern, the second the label ({@code value}, where there is none), the third the name of
 * the sealer ({@code default}). What is empty stays empty, and what is sealed already, the token that it is.
 */
@Plugin(name = "sealed", category = PatternConverter.CATEGORY)
@ConverterKeys("sealed")
public final class SealedConverter extends LogEventPatternConverter {
    private final List<PatternFormatter> formatters;
    private final Label label;
    private final String sealer;

    private SealedConverter(List<PatternFormatter> formatters, Label label, String sealer) {
        super("sealed", "sealed");
        this.formatters = formatters;
        this.label = label;
        this.sealer = sealer;
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
        String pattern = option(options, 0, "");
        return new SealedConverter(
                PatternLayout.createPatternParser(configuration).parse(pattern),
                Label.fit(option(options, 1, "value")),
                option(options, 2, Sealers.DEFAULT));
    }

    boolean isEmpty() {
        return formatters.isEmpty();
    }

    @Override
    public void format(LogEvent event, StringBuilder out) {
        int start = out.length();
        try {
            // Not in Log4j's own buffer, which lives as long as its thread.
            StringBuilder plain = new StringBuilder();
            formatters.forEach(formatter -> formatter.format(event, plain));
            if (plain.length() > 0) {
                out.append(Tokens.seal(Sealers.find(sealer), label, plain));
            }
        } catch (Throwable error) {
            LOGGER.warn("what %sealed{…}{{}} is to seal was not made: {}", label, error.getClass().getName());
            out.setLength(start);
            out.append(Sealers.find(sealer).unsealed(label, error.getClass().getName()));
        }
    }

    @Override
    public boolean handlesThrowable() {
        return formatters.stream().anyMatch(PatternFormatter::handlesThrowable);
    }

    private static String option(String[] options, int at, String otherwise) {
        return at < options.length && !options[at].isEmpty() ? options[at] : otherwise;
    }
}
