package sealmark.spark;

import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import sealmark.log.reader.SealedText;

/**
 * {@code is_sealed(value)}: true if a text has a token in it, without a key. Spark generates code that calls it, so it is
 * public.
 */
public final class IsSealedFunction extends TextFunction<Boolean> {
    private static final long serialVersionUID = 1;

    IsSealedFunction() {
        super("is_sealed", DataTypes.BooleanType);
    }

    /**
     * Looks for a token.
     *
     * @param value text; null gives null
     * @return true if there is one
     */
    public static Boolean invoke(UTF8String value) {
        if (value == null) {
            return null;
        }
        HeapText text = HeapText.of(value);
        return SealedText.isSealed(text.bytes(), text.from(), text.to());
    }
}
