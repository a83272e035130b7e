package sealmark.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import sealmark.log.reader.SealedText;

/**
 * The functions of {@link SealmarkCatalog} as temporary functions of one Spark session: {@code sealmark_open}, {@code
 * sealmark_open_line}, {@code sealmark_label} and {@code sealmark_is_sealed}. The catalog's keep bytes that are not
 * UTF-8.
 */
public final class SealmarkFunctions {
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
        spark.udf().register("sealmark_open", (UDF1<String, String>) value -> value == null || !value.startsWith("~s1")
                ? value : new String(opener.get().value(value.getBytes(UTF_8)), UTF_8), DataTypes.StringType);
        spark.udf().register("sealmark_open_line", (UDF1<String, String>) line -> line(opener, line), DataTypes.StringType);
        spark.udf().register("sealmark_label", (UDF1<String, String>) value -> value == null ? null
                : SealedText.label(value.getBytes(UTF_8)).orElse(null), DataTypes.StringType);
        spark.udf().register("sealmark_is_sealed", (UDF1<String, Boolean>) value -> value == null ? null
                : (Boolean) SealedText.isSealed(value.getBytes(UTF_8)), DataTypes.BooleanType);
    }

    private static String line(ValueOpener opener, String line) {
        if (line == null || !line.contains("~s1")) {
            return line;
        }
        byte[] opened = opener.get().line(line.getBytes(UTF_8));
        return opened == null ? null : new String(opened, UTF_8);
    }
}
