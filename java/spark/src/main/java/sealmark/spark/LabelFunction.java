package sealmark.spark;

import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import sealmark.log.reader.SealedText;

/** {@code label(token)}: the label of a token, without a key. Spark generates code that calls it, so it is public. */
public final class LabelFunction extends TextFunction<UTF8String> {
    private static final long serialVersionUID = 1;

    LabelFunction() {
        super("label", DataTypes.StringType);
    }

    /**
     * Reads the label of a token.
     *
     * @param token text; null gives null
     * @return null if the text is not a token
     */
    public static UTF8String invoke(UTF8String token) {
        if (token == null) {
            return null;
        }
        HeapText text = HeapText.of(token);
        return SealedText.label(text.bytes(), text.from(), text.to()).map(UTF8String::fromString).orElse(null);
    }
}
