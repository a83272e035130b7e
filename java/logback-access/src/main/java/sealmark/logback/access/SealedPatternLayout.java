package sealmark.logback.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.access.common.PatternLayout;
import ch.qos.logback.access.common.spi.IAccessEvent;
import ch.qos.logback.core.pattern.DynamicConverter;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import sealmark.log.Sealers;
import sealmark.log.access.RequestRules;
import sealmark.log.access.Rule;
import sealmark.log.access.Values;

/** The patterns of logback-access, with words whose text is sealed as {@link SealedPatternLayoutEncoder} says. */
final class SealedPatternLayout extends PatternLayout {
    private static final String EXAMPLE = "<seal>%u %header{Authorization}</seal>";

    private final String seal;
    private final String names;
    private final String clear;
    private final String sealer;
    private RequestRules rules;

    SealedPatternLayout(String seal, String names, String clear, String sealer) {
        this.seal = seal;
        this.names = names;
        this.clear = clear;
        this.sealer = sealer;
    }

    @Override
    public void start() {
        rules = new RequestRules(new Words(), seal, names, clear, new Values(() -> Sealers.forLine(sealer, this::tell), UTF_8,
                false), this::addWarn);
        super.start();
        rules.report(EXAMPLE, this::addError, this::addWarn);
    }

    @Override
    public void stop() {
        super.stop();
        if (rules != null) {
            rules.end();
        }
    }

    private void tell() {
        addError("the pattern is in an appender that writes no headers, so its values become markers\n"
                + "hint: an appender of the package sealmark.logback, or a <sideFile> of the sealer");
    }

    @Override
    public String doLayout(IAccessEvent event) {
        if (rules != null) {
            rules.record();
        }
        return super.doLayout(event);
    }

    // Logback's own type is raw.
    @Override
    @SuppressWarnings("rawtypes")
    public Map<String, Supplier<DynamicConverter>> getDefaultConverterSupplierMap() {
        Map<String, Supplier<DynamicConverter>> words = new HashMap<>();
        // Other words stay what they are: the layout looks for the one that ends a line.
        super.getDefaultConverterSupplierMap().forEach((word, maker) -> words.put(word,
                Words.isClients(word) ? () -> sealing(word, maker.get()) : maker));
        return words;
    }

    @SuppressWarnings("unchecked")
    private DynamicConverter<IAccessEvent> sealing(String word, DynamicConverter<?> converter) {
        return new Word(word, (DynamicConverter<IAccessEvent>) converter);
    }

    /** A word whose text is looked at before it goes into the line. */
    private final class Word extends DynamicConverter<IAccessEvent> {
        private final String word;
        private final DynamicConverter<IAccessEvent> original;
        private Rule rule;

        Word(String word, DynamicConverter<IAccessEvent> original) {
            this.word = word;
            this.original = original;
        }

        @Override
        public void start() {
            original.setContext(getContext());
            original.setOptionList(getOptionList());
            original.start();
            rule = rules.of(Words.inPattern(word, getFirstOption()));
            if (rule != null && getFormattingInfo() != null && getFormattingInfo().getMax() < Integer.MAX_VALUE) {
                SealedPatternLayout.this.addError("a width truncates tokens, so they cannot be opened\nhint: %" + word);
            }
            super.start();
        }

        @Override
        public void stop() {
            original.stop();
            super.stop();
        }

        @Override
        public String convert(IAccessEvent event) {
            String text = original.convert(event);
            return rule == null || text == null ? text : rule.sealed(text);
        }
    }
}
