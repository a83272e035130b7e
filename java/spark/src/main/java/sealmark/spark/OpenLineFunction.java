package sealmark.spark;

import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** {@code open_line(line)}: a line with the values of its tokens. Spark generates code that calls it, so it is public. */
public final class OpenLineFunction extends TextFunction<UTF8String> {
    private static final long serialVersionUID = 1;
    private static final UTF8String START = UTF8String.fromString("~s1");

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
        return line == null || !line.contains(START) ? line
                : UTF8String.fromBytes(opener.get().line(line.getBytes()));
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
