package sealmark.log;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A value whose text is a token, so that it is never written in the clear. It is made for arguments of log calls, whatever the
 * framework:
 *
 * <pre>{@code logger.info("login of {}", Sealed.of("email", email));}</pre>
 *
 * <p>Each call of {@link #toString} makes a new token, with the sealer that has the name at that moment. The value itself
 * cannot be read from this object.
 */
public final class Sealed {
    private final String sealer;
    /** A {@link Label}, or a text that becomes one when the value is sealed: values of a level that is off never are. */
    private final transient Object label;
    /** Not the value itself: libraries that write all fields of an object would find it. */
    private final transient Supplier<Object> value;

    private Sealed(String sealer, Object label, Supplier<Object> value) {
        this.sealer = Objects.requireNonNull(sealer);
        this.label = label;
        this.value = value;
    }

    /**
     * A value sealed by the sealer {@link Sealers#DEFAULT}.
     *
     * @param label the value's name, made a label as {@link Label#fit} does
     * @param value its {@code toString} is sealed when this object's is asked for; null is the text {@code null}
     * @return an object to log instead of the value
     */
    public static Sealed of(String label, Object value) {
        return new Sealed(Sealers.DEFAULT, label, () -> value);
    }

    /**
     * A value sealed by the sealer {@link Sealers#DEFAULT}, with a label that was made before.
     *
     * @param label the value's name
     * @param value its {@code toString} is sealed when this object's is asked for; null is the text {@code null}
     * @return an object to log instead of the value
     */
    public static Sealed of(Label label, Object value) {
        return new Sealed(Sealers.DEFAULT, Objects.requireNonNull(label), () -> value);
    }

    /**
     * This value, sealed by a sealer of another name.
     *
     * @param sealer its name in {@link Sealers}
     * @return an object to log instead of the value
     */
    public Sealed by(String sealer) {
        return new Sealed(sealer, label, value);
    }

    private Label label() {
        return label instanceof Label known ? known : Label.fit(String.valueOf(label));
    }

    /**
     * A new token, or {@link Label#unsealed} if there is no sealer, or it fails. Tokens of this JVM in the text of the value
     * stay as they are, and the text between them is sealed: if they were sealed once more, they would open to tokens.
     */
    @Override
    public String toString() {
        return Tokens.seal(Sealers.find(sealer), label(), value.get());
    }

    /**
     * A new token for a place where JSON is written. The caller puts it between quotes and adds nothing to it: a number
     * or a boolean then opens as what it is, in the place of the string, and any other value as a string. Numbers that
     * JSON does not have, such as {@code NaN}, are text. Jackson 2 and 3 write an object of this class so.
     *
     * @return a token, or {@link Label#unsealed} if there is no sealer, or it fails
     */
    @JsonValue
    public String toJsonToken() {
        return Tokens.sealInJson(Sealers.find(sealer), label(), value.get());
    }
}
