package sealmark.logback;

import ch.qos.logback.core.spi.ContextAware;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;
import sealmark.log.Tokens;

/** Seals the values that conversion words write. */
final class Values {
    private Values() {}

    /** A value whose {@code toString} fails cannot be sealed, and no value can in an appender that writes no headers. */
    static String sealed(ContextAware word, String sealer, Label label, Object value) {
        LogSealer here = WithoutHeaders.sealer(word, sealer);
        if (here != Sealers.find(sealer)) {
            // Tokens that a text has already could not be opened, either: all of it becomes one marker.
            return here.seal(label, "");
        }
        String text;
        try {
            text = String.valueOf(value);
        } catch (RuntimeException | StackOverflowError error) {
            return here.unsealed(label, error.getClass().getName());
        }
        return Tokens.seal(here, label, text);
    }
}
