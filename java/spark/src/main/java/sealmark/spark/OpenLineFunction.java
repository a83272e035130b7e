package sealmark.spark;

import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import sealmark.log.reader.SealedText;

/** {@code open_line(line)}: a line with the values of its tokens. Spark generates code that calls it, so it is public. */
public final class OpenLineFunction extends TextFunction<UTF8String> {
    private static final long serialVersionUID = 1;

    /** The wrapped headers and the way to the keys: it holds no key itself. */
    private final ValueOpener opener;

    OpenLineFunction(ValueOpener opener) {
        super("open_line", DataTypes.StringType);
        this.opener = opener;
    }

    /**
     * Opens a line.
     *
     * @param line without its end; null stays null
     * @return the opened line; null for a header or closing line, which are not the log's
     */
    public UTF8String invoke(UTF8String line) {
        if (line == null) {
            return null;
        }
        HeapText text = HeapText.of(line);
        return SealedText.mayBeSealed(text.bytes(), text.from(), text.to())
                ? opener.get().line(text).map(HeapText::of).orElse(null) : line;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpenLineFunction that && opener.equals(that.opener);
    }

    @Override
    public int hashCode() {
        return opener.hashCode();
    }
}
