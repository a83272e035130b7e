package sealmark.spark;

import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import sealmark.log.reader.SealedText;

/**
 * {@code is_sealed(value)}: true if a text has a token in it, without a key. Spark generates code that calls it, so it is
 * public.
 */
public final class IsSealedFunction implements ScalarFunction<Boolean> {
    private static final long serialVersionUID = 1;

    IsSealedFunction() {}

    /**
     * Looks for a token.
     *
     * @param value text; null gives null
     * @return true if there is one
     */
    public static Boolean invoke(UTF8String value) {
        return value == null ? null
                : (Boolean) SealedText.isSealed(value.getBytes());
    }

    @Override
    public DataType[] inputTypes() {
        return new DataType[] {DataTypes.StringType};
    }

    @Override
    public DataType resultType() {
        return DataTypes.BooleanType;
    }

    @Override
    public String name() {
        return "is_sealed";
    }

    @Override
    public String canonicalName() {
        return "sealmark.is_sealed";
    }

    @Override
    public String toString() {
        return canonicalName();
    }
}
