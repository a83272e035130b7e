package sealmark.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.spark.sql.functions.expr;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.testing.SealmarkProgram;

/** The functions, in SQL and registered by one call. */
class FunctionsTest {
    private static final int LINES = 1_000;

    @TempDir
    static Path work;

    private static SealedFolder sealed;
    private static Path log;
    private static String table;

    @BeforeAll
    static void seal() throws Exception {
        SealmarkProgram.assumeBuilt();
        sealed = new SealedFolder(work);
        log = sealed.json("a.json", LINES);
        table = work.resolve("sessions.parquet").toString();
        SparkSession spark = Cluster.session();
        SealedLogs.on(spark).sessions(List.of(sealed.folder.toString())).write().parquet(table);
        spark.conf().set("spark.sql.catalog.sealmark", SealmarkCatalog.class.getName());
        spark.conf().set("spark.sql.catalog.sealmark.identity", sealed.key.toString());
        spark.conf().set("spark.sql.catalog.sealmark.sessions", table);
        spark.read().text(log.toString()).createOrReplaceTempView("lines");
        spark.read().json(log.toString()).where("user IS NOT NULL").createOrReplaceTempView("logins");
    }

    @Test
    void linesAndValuesOpenInSql() throws Exception {
        List<String> opened = new String(sealed.opened(log), UTF_8).lines().sorted().toList();
        assertEquals(LINES, opened.size());
        assertEquals(opened, texts("SELECT line FROM (SELECT sealmark.open_line(value) AS line FROM lines)"
                + " WHERE line IS NOT NULL ORDER BY line"));
        Row row = Cluster.session().sql("SELECT sealmark.open(user) AS who, count(*) FROM logins WHERE sealmark.open(ip) ="
                + " '203.0.113.7' GROUP BY who ORDER BY who LIMIT 1").first();
        assertEquals("user-24", row.getString(0));
        assertEquals(1, row.getLong(1));
        assertEquals(97, Cluster.session().table("logins").groupBy(expr("sealmark.open(user)").as("who")).count().count(),
                "a call in the columns is that in the grouping");
        assertEquals(List.of("user"), texts("SELECT DISTINCT sealmark.label(user) FROM logins"));
        assertEquals(List.of("true false"), texts("SELECT DISTINCT concat(sealmark.is_sealed(user), ' ',"
                + " sealmark.is_sealed(level)) FROM logins"));
        assertEquals(List.of("info"), texts("SELECT DISTINCT sealmark.open(level) FROM logins"));
        // A computed text is in an array of its own, a sorted one among the bytes of other rows.
        assertEquals(texts("SELECT concat('<', sealmark.open(user), '>') AS who FROM logins ORDER BY who"),
                texts("SELECT sealmark.open_line(concat('<', who, '>')) AS line FROM (SELECT user AS who FROM logins"
                        + " ORDER BY who) ORDER BY line"));
        assertEquals(1, Cluster.session().sql("SELECT sealmark.label(CAST(NULL AS STRING)) IS NULL AND"
                + " sealmark.open(CAST(NULL AS STRING)) IS NULL AND sealmark.is_sealed(CAST(NULL AS STRING)) IS NULL AS none")
                .where("none").count());
    }

    @Test
    void oneCallRegistersTheSameFunctions() throws Exception {
        SealmarkFunctions.register(Cluster.session(), table, sealed.key.toString());
        assertEquals(texts("SELECT sealmark.open_line(value) AS line FROM lines ORDER BY line"),
                texts("SELECT sealmark_open_line(value) AS line FROM lines ORDER BY line"));
        assertEquals(texts("SELECT sealmark.open(user) AS who FROM logins ORDER BY who"),
                texts("SELECT sealmark_open(user) AS who FROM logins ORDER BY who"));
        assertEquals(List.of("ip true"), texts("SELECT DISTINCT concat(sealmark_label(ip), ' ', sealmark_is_sealed(ip))"
                + " FROM logins"));
    }

    @Test
    void aLiteralIsNotOpenedBecauseThePlanWouldHaveItsValue() throws Exception {
        String token = texts("SELECT user FROM logins LIMIT 1").get(0);
        Exception refused = assertThrows(Exception.class, () -> texts("SELECT sealmark.open('" + token + "')"));
        assertTrue(words(refused).contains("a sealed literal is not opened"), words(refused));
    }

    @Test
    void aSettingThatIsMissingIsNamed() throws Exception {
        SparkSession spark = Cluster.session();
        spark.conf().set("spark.sql.catalog.keyless", SealmarkCatalog.class.getName());
        assertTrue(words(assertThrows(Exception.class, () -> texts("SELECT keyless.open(user) FROM logins")))
                .contains("spark.sql.catalog.keyless.identity"));
        assertEquals(List.of("user"), texts("SELECT DISTINCT keyless.label(user) FROM logins"));
        spark.conf().set("spark.sql.catalog.lost", SealmarkCatalog.class.getName());
        spark.conf().set("spark.sql.catalog.lost.identity", work.resolve("nowhere.key").toString());
        spark.conf().set("spark.sql.catalog.lost.sessions", table);
        assertTrue(words(assertThrows(Exception.class, () -> texts("SELECT lost.open(user) FROM logins")))
                .contains("there is no key file"));
    }

    private static List<String> texts(String query) {
        Dataset<Row> rows = Cluster.session().sql(query);
        return rows.collectAsList().stream().map(row -> row.getString(0)).toList();
    }

    private static String words(Throwable thrown) {
        StringBuilder words = new StringBuilder();
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            words.append(cause).append('\n');
        }
        return words.toString();
    }
}
