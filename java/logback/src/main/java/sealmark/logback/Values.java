package sealmark.logback;

import ch.qos.logback.core.spi.ContextAware;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Tokens;

/** Seals the values that conversion words write. */
final class Values {
    private Values() {}

    /** A value whose {@code toString} fails cannot be sealed. */
    static String sealed(ContextAware word, String sealer, Label label, Object value) {
        LogSealer here = WithoutHeaders.sealer(word, sealer);
        String text;
        try {
            text = String.valueOf(value);
        } catch (RuntimeException | StackOverflowError error) {
            return here.unsealed(label, error.getClass().getName());
        }
        return Tokens.seal(here, label, text);
    }
}
