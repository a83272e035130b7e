package sealmark.logback;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.event.KeyValuePair;
import sealmark.log.Label;
import sealmark.log.NameCounts;
import sealmark.log.Sealed;
import sealmark.log.Sealers;

/**
 * The conversion word {@code %sealedKvp}: writes key-value pairs as Logback's {@code %kvp} does, with their values sealed.
 *
 * <pre>{@code <conversionRule conversionWord="sealedKvp" class="sealmark.logback.SealedKeyValuePairConverter"/>}</pre>
 *
 * Options, in any order: {@code DOUBLE}, which is the default, {@code SINGLE} or {@code NONE} for the quotes around values;
 * {@code sealer=audit} for another sealer than {@code default}; and names, regardless of case, if only their values are to be
 * sealed: {@code %sealedKvp{NONE, email, card}}.
 */
public final class SealedKeyValuePairConverter extends ClassicConverter implements SealingWord {
    private final Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    private NameCounts counts;
    private String quote = "\"";
    private String sealer = Sealers.DEFAULT;

    /** A converter that seals all values. */
    public SealedKeyValuePairConverter() {}

    @Override
    public void start() {
        for (String option : getOptionList() == null ? List.<String>of() : getOptionList()) {
            take(option);
        }
        sealer = sealer();
        WithoutHeaders.watch(this);
        counts = UnmatchedNames.of(this, names, "%sealedKvp", "write keys exactly as in the key-value pairs: %sealedKvp{email}");
        super.start();
    }

    @Override
    public String sealer() {
        return SealingWord.sealer(getOptionList());
    }

    private void take(String option) {
        switch (option.toUpperCase(Locale.ROOT)) {
            case "DOUBLE" -> quote = "\"";
            case "SINGLE" -> quote = "'";
            case "NONE" -> quote = "";
            default -> {
                if (!option.startsWith(SEALER)) {
                    names.add(option);
                }
            }
        }
    }

    @Override
    public String convert(ILoggingEvent event) {
        if (event.getKeyValuePairs() == null) {
            return "";
        }
        counts.record();
        List<String> pairs = new ArrayList<>();
        for (KeyValuePair pair : event.getKeyValuePairs()) {
            pairs.add(pair.key + "=" + quote + shown(pair) + quote);
        }
        return String.join(" ", pairs);
    }

    private Object shown(KeyValuePair pair) {
        String name = String.valueOf(pair.key);
        counts.matched(name);
        boolean inClear = pair.value instanceof Sealed || (!names.isEmpty() && !names.contains(name));
        return inClear ? pair.value : WithoutHeaders.sealed(this, sealer, Label.fit(name), pair.value);
    }
}
