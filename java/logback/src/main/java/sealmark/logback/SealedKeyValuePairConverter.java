package sealmark.logback;

import ch.qos.logback.classic.pattern.KeyValuePairConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.slf4j.event.KeyValuePair;
import sealmark.log.Label;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.log.ValueNames;

/**
 * The conversion word {@code %sealedKvp}: writes key-value pairs as Logback's {@code %kvp} does, with their values sealed.
 *
 * <pre>{@code <conversionRule conversionWord="sealedKvp" class="sealmark.logback.SealedKeyValuePairConverter"/>}</pre>
 *
 * Options, in any order: {@code DOUBLE}, which is the default, {@code SINGLE} or {@code NONE} for the quotes around
 * values; {@code sealer=audit} for another sealer than {@code default}; and names, if not all values are to be sealed,
 * but only theirs, as in {@link ValueNames}: {@code %sealedKvp{NONE, email, user.*}}.
 */
public final class SealedKeyValuePairConverter extends KeyValuePairConverter implements SealingWord {
    private static final Set<String> QUOTES = Set.of("DOUBLE", "SINGLE", "NONE");

    private ValueNames names;
    private String sealer = Sealers.DEFAULT;

    /** A converter that seals all values. */
    public SealedKeyValuePairConverter() {}

    @Override
    public void start() {
        List<String> options = getOptionList() == null ? List.of() : getOptionList();
        List<String> chosen = options.stream().filter(one -> !isQuote(one) && !one.startsWith(SEALER)).toList();
        sealer = sealer();
        setOptionList(options.stream().filter(SealedKeyValuePairConverter::isQuote).reduce((before, last) -> last)
                .map(List::of).orElse(List.of()));
        WithoutHeaders.watch(this);
        names = UnmatchedNames.of(this, chosen, "%sealedKvp", "write keys exactly as in the key-value pairs: %sealedKvp{email}");
        super.start();
    }

    private static boolean isQuote(String option) {
        return QUOTES.contains(option.toUpperCase(Locale.ROOT));
    }

    @Override
    public String sealer() {
        return isStarted() ? sealer : SealingWord.sealer(getOptionList());
    }

    @Override
    public String convert(ILoggingEvent event) {
        if (event.getKeyValuePairs() == null) {
            return "";
        }
        names.record();
        List<KeyValuePair> sealed = event.getKeyValuePairs().stream().map(this::sealed).toList();
        return super.convert(new PassedEvent(event) {
            @Override
            public List<KeyValuePair> getKeyValuePairs() {
                return sealed;
            }
        });
    }

    private KeyValuePair sealed(KeyValuePair pair) {
        String name = String.valueOf(pair.key);
        boolean isChosen = names.matched(name) != null || names.isEmpty();
        return !isChosen || pair.value instanceof Sealed ? pair
                : new KeyValuePair(name, WithoutHeaders.sealed(this, sealer, Label.fit(name), pair.value));
    }
}
