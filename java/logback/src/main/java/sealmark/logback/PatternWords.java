package sealmark.logback;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.pattern.ExtendedThrowableProxyConverter;
import ch.qos.logback.classic.pattern.KeyValuePairConverter;
import ch.qos.logback.classic.pattern.MDCConverter;
import ch.qos.logback.classic.pattern.MaskedKeyValuePairConverter;
import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.pattern.NopThrowableInformationConverter;
import ch.qos.logback.classic.pattern.RootCauseFirstThrowableProxyConverter;
import ch.qos.logback.classic.pattern.ThrowableHandlingConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.pattern.CompositeConverter;
import ch.qos.logback.core.pattern.Converter;
import ch.qos.logback.core.pattern.parser.Parser;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.spi.ScanException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import sealmark.log.SealerSettings;

/** The conversion words of a pattern: which seal, and which write in the clear what may be a value. */
final class PatternWords {
    private static final String MESSAGE = "%msg";
    private static final String EXCEPTION = "%ex";

    private final List<SealingWord> sealing = new ArrayList<>();
    private final Set<String> clear = new LinkedHashSet<>();
    private boolean handlesExceptions;

    private PatternWords() {}

    /** Null if the encoder writes no pattern of Logback's. */
    static PatternWords of(Encoder<?> encoder) {
        return encoder instanceof LayoutWrappingEncoder<?> wrapping ? of(wrapping.getLayout()) : null;
    }

    /** Null if it is no pattern of Logback's, or one that Logback has refused. */
    @SuppressWarnings("unchecked")
    static PatternWords of(Layout<?> layout) {
        // Patterns of logback-access have other words.
        if (!(layout instanceof PatternLayout pattern) || pattern.getPattern() == null) {
            return null;
        }
        PatternWords words = new PatternWords();
        try {
            // Logback has told of words that it does not know, and need not do so twice.
            Context silent = new ContextBase();
            Parser<ILoggingEvent> parser = new Parser<>(pattern.getPattern());
            parser.setContext(silent);
            words.add(parser.compile(parser.parse(), pattern.getEffectiveConverterMap()));
        } catch (ScanException error) {
            return null;
        }
        if (!words.handlesExceptions) {
            // Logback adds it.
            words.clear.add(EXCEPTION);
        }
        return words;
    }

    private void add(Converter<ILoggingEvent> head) {
        for (Converter<ILoggingEvent> at = head; at != null; at = at.getNext()) {
            // %sealed brings %sealedEx along if the pattern has no word for exceptions.
            handlesExceptions |= at instanceof ThrowableHandlingConverter || at instanceof SealedConverter;
            if (at instanceof SealingWord word) {
                sealing.add(word);
            } else if (at instanceof ThrowableHandlingConverter) {
                if (!(at instanceof NopThrowableInformationConverter)) {
                    clear.add(at instanceof RootCauseFirstThrowableProxyConverter ? "%rEx"
                            : at instanceof ExtendedThrowableProxyConverter ? "%xEx" : EXCEPTION);
                }
            } else if (at instanceof MessageConverter) {
                clear.add(MESSAGE);
            } else if (at instanceof KeyValuePairConverter) {
                clear.add("%kvp");
            } else if (at instanceof MaskedKeyValuePairConverter) {
                clear.add("%maskedKvp");
            } else if (at instanceof MDCConverter mdc) {
                String key = mdc.getFirstOption();
                clear.add(key == null ? "%mdc" : "%mdc{" + key.split(":-", 2)[0] + "}");
            } else if (at instanceof CompositeConverter<ILoggingEvent> composite) {
                add(composite.getChildConverter());
            }
        }
    }

    List<SealingWord> sealing() {
        return sealing;
    }

    /**
     * Tells what an appender of this package would write in the clear.
     *
     * @param allowed words that the configuration says may stand in the clear, without the percent sign
     */
    void tell(ContextAware appender, Set<String> allowed) {
        Set<String> told = clear.stream().filter(word -> !allowed.contains(word.substring(1)))
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (told.isEmpty()) {
            return;
        }
        if (sealing.isEmpty()) {
            Statuses.warn(appender, "the pattern seals nothing, and writes " + String.join(", ", told) + " in the clear\n"
                    + "hint: " + String.join(" ", told.stream().map(PatternWords::sealed).toList())
                    + ", or " + allowing(told));
            return;
        }
        if (told.remove(MESSAGE)) {
            appender.addInfo("the pattern writes %msg in the clear, except for values that are Sealed\n"
                    + "hint: " + sealed(MESSAGE) + " seals all of it");
        }
        for (String word : told) {
            Statuses.warn(appender, "the pattern writes " + word + " in the clear\n"
                    + "hint: " + sealed(word) + ", or " + allowing(Set.of(word)));
        }
    }

    private static String allowing(Set<String> words) {
        return "<clear>" + words.stream().map(word -> word.substring(1)).collect(Collectors.joining(", "))
                + "</clear> in the appender if this is intended";
    }

    private static String sealed(String word) {
        return switch (word) {
            case MESSAGE -> "%sealed(%msg){message}";
            case EXCEPTION, "%xEx", "%rEx" -> "%sealedEx";
            case "%kvp", "%maskedKvp" -> "%sealedKvp";
            case "%mdc" -> "%sealed(%mdc){mdc}";
            default -> word.replace("%mdc", "%sealed");
        };
    }

    /** The words of {@code <clear>}. */
    static Set<String> words(String list) {
        return SealerSettings.words(list).stream().map(word -> word.startsWith("%") ? word.substring(1) : word)
                .map(PatternWords::main).collect(Collectors.toSet());
    }

    /** A word as messages here write it. */
    private static String main(String word) {
        String name = word.contains("{") ? word.substring(0, word.indexOf('{')) : word;
        String options = word.substring(name.length());
        return switch (name) {
            case "m", "message" -> "msg" + options;
            case "exception", "throwable" -> "ex";
            case "xException", "xThrowable" -> "xEx";
            case "rootException" -> "rEx";
            case "X" -> "mdc" + options;
            default -> word;
        };
    }
}
