package sealmark.logback;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.util.JsonGeneratorDelegate;

/**
 * Asks which field {@link SealedFields} would seal in something that is written only to learn that. Nothing is sealed
 * meanwhile: {@code log verify} would miss a token that nobody writes.
 *
 * <p>It goes with the generator and not with the thread, on which something else may be logged meanwhile.
 */
final class FieldProbe {
    /** The first field that is to be sealed; null if there is none. */
    String name;
    /** The name of its sealer. */
    String sealer;

    /** The one that whoever writes here is asked; null if this is written to be read. */
    static FieldProbe of(TokenStreamContext context) {
        TokenStreamContext root = context;
        while (root.getParent() != null) {
            root = root.getParent();
        }
        return root.currentValue() instanceof FieldProbe question ? question : null;
    }

    /** Goes with a generator, and those below it down to a last one. */
    void goWith(JsonGenerator generator, JsonGenerator last) {
        generator.streamWriteContext().assignCurrentValue(this);
        if (of(generator.streamWriteContext()) != this) {
            throw new IllegalStateException("cannot inspect the generator " + generator.getClass());
        }
        if (generator != last) {
            if (!(generator instanceof JsonGeneratorDelegate above)) {
                throw new IllegalStateException("cannot inspect the nested generator " + generator.getClass());
            }
            goWith(above.delegate(), last);
        }
    }

    void answer(String name, String sealer) {
        if (this.name == null) {
            this.name = name;
            this.sealer = sealer;
        }
    }
}
