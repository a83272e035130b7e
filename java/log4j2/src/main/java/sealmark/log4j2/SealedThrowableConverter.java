package sealmark.log4j2;

import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.pattern.ConverterKeys;
import org.apache.logging.log4j.core.pattern.ExtendedThrowablePatternConverter;
import org.apache.logging.log4j.core.pattern.LogEventPatternConverter;
import org.apache.logging.log4j.core.pattern.PatternConverter;
import org.apache.logging.log4j.core.pattern.RootThrowablePatternConverter;
import org.apache.logging.log4j.core.pattern.ThrowablePatternConverter;
import sealmark.log.Label;
import sealmark.log.Sealers;
import sealmark.log.Tokens;

/**
 * Writes an exception as {@code %ex} does, with each message sealed: {@code %sealedEx}. Tokens in a message stay as they are.
 * Classes and frames stay in the clear, those of causes and suppressed exceptions, too.
 *
 * <p>Options: {@code {extended}} writes it as {@code %xEx} does, {@code {root}} as {@code %rEx}, {@code {label(name)}}
 * is the label ({@code exception}), {@code {sealer(name)}} the sealer ({@code default}); the others are those of
 * {@code %ex}. A pattern with this converter gets no other one for exceptions added by Log4j.
 */
@Plugin(name = "sealedEx", category = PatternConverter.CATEGORY)
@ConverterKeys({"sealedEx", "sealedThrowable", "sealedException"})
public final class SealedThrowableConverter extends LogEventPatternConverter {
    /** Around the number of a message until its token is there; in no name that a compiler makes. */
    private static final char MARK = '\0';
    private static final String CLASS = SealedThrowable.class.getName();

    private final Configuration configuration;
    private final LogEventPatternConverter renderer;
    private final Label label;
    private final String sealer;

    private SealedThrowableConverter(
            Configuration configuration, LogEventPatternConverter renderer, Label label, String sealer) {
        super("sealedEx", "throwable");
        this.configuration = configuration;
        this.renderer = renderer;
        this.label = label;
        this.sealer = sealer;
    }

    /**
     * Called by Log4j when it reads a pattern.
     *
     * @param configuration is the renderer's
     * @param options the options in braces
     * @return a converter
     */
    public static SealedThrowableConverter newInstance(Configuration configuration, String[] options) {
        List<String> others = new ArrayList<>(List.of(options));
        boolean extended = others.remove("extended");
        boolean root = others.remove("root");
        String label = take(others, "label", "exception");
        String sealer = take(others, "sealer", Sealers.DEFAULT);
        String[] rest = others.toArray(String[]::new);
        LogEventPatternConverter renderer = extended
                ? ExtendedThrowablePatternConverter.newInstance(configuration, rest)
                : root
                        ? RootThrowablePatternConverter.newInstance(configuration, rest)
                        : ThrowablePatternConverter.newInstance(configuration, rest);
        Endings.watch(configuration);
        return new SealedThrowableConverter(configuration, renderer, Label.fit(label), sealer);
    }

    private static String take(List<String> options, String name, String otherwise) {
        String value = otherwise;
        for (String option : List.copyOf(options)) {
            if (option.startsWith(name + "(") && option.endsWith(")")) {
                value = option.substring(name.length() + 1, option.length() - 1);
                options.remove(option);
            }
        }
        return value;
    }

    String sealer() {
        return sealer;
    }

    @Override
    public boolean handlesThrowable() {
        return true;
    }

    @Override
    public void format(LogEvent shown, StringBuilder out) {
        LogEvent event = OtherThrown.original(shown);
        Throwable thrown = event.getThrown();
        if (thrown == null) {
            return;
        }
        int start = out.length();
        try {
            seal(event, thrown, out);
        } catch (Throwable error) {
            LOGGER.warn("an exception was not written: {}", error.getClass().getName());
            out.setLength(start);
            String marker = Sealers.find(sealer).unsealed(label, error.getClass().getName());
            out.append(thrown.getClass().getName()).append(": ").append(marker).append('\n');
        }
    }

    /** Log4j renders a likeness whose messages are numbers; those that it wrote become tokens. */
    private void seal(LogEvent event, Throwable thrown, StringBuilder out) {
        List<Throwable> all = new ArrayList<>();
        Throwable likeness = SealedThrowable.of(thrown, one -> () -> {
            all.add(one);
            return "" + MARK + (all.size() - 1) + MARK;
        });
        StringBuilder numbered = new StringBuilder();
        renderer.format(OtherThrown.of(event, likeness), numbered);
        int done = 0;
        for (int mark = numbered.indexOf("\0"); mark >= 0; mark = numbered.indexOf("\0", done)) {
            int end = numbered.indexOf("\0", mark + 1);
            out.append(numbered, done, mark);
            writeMessage(all.get(Integer.parseInt(numbered.substring(mark + 1, end))), out);
            done = end + 1;
        }
        out.append(numbered, done, numbered.length());
    }

    private void writeMessage(Throwable one, StringBuilder out) {
        boolean named = out.length() >= CLASS.length() + 2
                && out.indexOf(CLASS + ": ", out.length() - CLASS.length() - 2) >= 0;
        if (named) {
            out.setLength(out.length() - CLASS.length() - 2);
            out.append(one instanceof SealedThrowable ? "" : one.getClass().getName());
        }
        String message = message(one);
        if (message != null) {
            out.append(named && !(one instanceof SealedThrowable) ? ": " : "").append(message);
        }
    }

    /** Null if it has none. */
    private String message(Throwable one) {
        return one instanceof SealedThrowable ? one.getMessage()
                : Tokens.sealMessage(WithoutHeaders.sealer(configuration, sealer), label, one);
    }
}
