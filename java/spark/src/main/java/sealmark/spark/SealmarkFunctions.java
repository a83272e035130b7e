package sealmark.spark;

import java.io.IOException;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The functions of {@link SealmarkCatalog} as temporary functions of one Spark session: {@code sealmark_open}, {@code
 * sealmark_open_line}, {@code sealmark_label} and {@code sealmark_is_sealed}. The catalog's keep bytes that are not
 * UTF-8.
 */
public final class SealmarkFunctions {
    static final String START = "~s1";

    private SealmarkFunctions() {}

    /**
     * Registers the functions, with keys in a file of each executor. Python calls it as {@code
     * spark._jvm.sealmark.spark.SealmarkFunctions.register(spark._jsparkSession, sessions, key)}.
     *
     * @param spark the session
     * @param sessions the address of a kept table of {@link SessionsSource}
     * @param keyFile the file
     * @throws IOException if the table cannot be read
     */
    public static void register(SparkSession spark, String sessions, String keyFile) throws IOException {
        register(spark, sessions, KeyProvider.file(keyFile));
    }

    /**
     * Registers the functions.
     *
     * @param spark the session; its setting {@code spark.sealmark.allow-plaintext-spill} allows what jobs refuse otherwise
     * @param sessions the address of a kept table of {@link SessionsSource}
     * @param keys gets the keys on each executor
     * @throws IOException if the table cannot be read
     */
    public static void register(SparkSession spark, String sessions, KeyProvider keys) throws IOException {
        boolean isSpillAllowed = spark.sparkContext().conf().getBoolean("spark.sealmark.allow-plaintext-spill", false);
        ValueOpener opener = Known.opener(spark, keys, sessions, isSpillAllowed, "spark.sealmark");
        spark.udf().register("sealmark_open", (UDF1<String, String>) value -> value(opener, value), DataTypes.StringType);
        spark.udf().register("sealmark_open_line", (UDF1<String, String>) line -> line(opener, line), DataTypes.StringType);
        spark.udf().register("sealmark_label", (UDF1<String, String>) SealmarkFunctions::label, DataTypes.StringType);
        spark.udf().register("sealmark_is_sealed", (UDF1<String, Boolean>) value ->
                IsSealedFunction.invoke(UTF8String.fromString(value)), DataTypes.BooleanType);
    }

    private static String value(ValueOpener opener, String value) {
        return value == null || !value.startsWith(START) ? value
                : opener.get().value(HeapText.of(UTF8String.fromString(value))).map(HeapText::string).orElse(value);
    }

    private static String line(ValueOpener opener, String line) {
        return line == null || !line.contains(START) ? line
                : opener.get().line(HeapText.of(UTF8String.fromString(line))).map(HeapText::string).orElse(null);
    }

    private static String label(String value) {
        UTF8String label = LabelFunction.invoke(UTF8String.fromString(value));
        return label == null ? null : label.toString();
    }
}
