package sealmark.spark;

import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** {@code open_line(line)}: a line with the values of its tokens. Spark generates code that calls it, so it is public. */
public final class OpenLineFunction implements ScalarFunction<UTF8String> {
    private static final long serialVersionUID = 1;
    private static final UTF8String START = UTF8String.fromString("~s1");

    private final ValueOpener opener;

    OpenLineFunction(ValueOpener opener) {
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
    public DataType[] inputTypes() {
        return new DataType[] {DataTypes.StringType};
    }

    @Override
    public DataType resultType() {
        return DataTypes.StringType;
    }

    @Override
    public String name() {
        return "open_line";
    }

    @Override
    public String canonicalName() {
        return "sealmark.open_line";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpenLineFunction that && opener.equals(that.opener);
    }

    @Override
    public int hashCode() {
        return opener.hashCode();
    }

    @Override
    public String toString() {
        return canonicalName();
    }
}
