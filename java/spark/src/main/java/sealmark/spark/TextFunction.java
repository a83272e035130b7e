package sealmark.spark;

import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** A function of one text. Spark generates code that calls the method {@code invoke} of its class. */
abstract class TextFunction<R> implements ScalarFunction<R> {
    private static final long serialVersionUID = 1;

    private final String name;
    private final DataType type;

    TextFunction(String name, DataType type) {
        this.name = name;
        this.type = type;
    }

    @Override
    public final DataType[] inputTypes() {
        return new DataType[] {DataTypes.StringType};
    }

    @Override
    public final DataType resultType() {
        return type;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String canonicalName() {
        return "sealmark." + name;
    }

    @Override
    public final String toString() {
        return canonicalName();
    }
}
