package sealmark.spark;

import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** {@code open(value)}: the value of a token; any other text stays. Spark generates code that calls it, so it is public. */
public final class OpenFunction extends TextFunction<UTF8String> {
    private static final long serialVersionUID = 1;
    private static final UTF8String START = UTF8String.fromString(SealmarkFunctions.START);

    /** The wrapped headers and the way to the keys: it holds no key itself. */
    private final ValueOpener opener;

    OpenFunction(ValueOpener opener) {
        super("open", DataTypes.StringType);
        this.opener = opener;
    }

    /**
     * Opens a value.
     *
     * @param value text; null stays null
     * @return its value, or the text itself
     */
    public UTF8String invoke(UTF8String value) {
        if (value == null || !value.startsWith(START)) {
            return value;
        }
        return opener.get().value(HeapText.of(value)).map(HeapText::of).orElse(value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpenFunction that && opener.equals(that.opener);
    }

    @Override
    public int hashCode() {
        return opener.hashCode();
    }
}
