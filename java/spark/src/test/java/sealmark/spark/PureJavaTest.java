package sealmark.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.engine.NativeLibrary;
import sealmark.testing.SealmarkProgram;

/** Executors whose Java has {@code -Dsealmark.log.native=off} open the same text without native code. */
class PureJavaTest {
    @TempDir
    static Path work;

    private static SealedFolder sealed;
    private static SparkSession spark;

    @BeforeAll
    static void start() throws Exception {
        SealmarkProgram.assumeBuilt();
        sealed = new SealedFolder(work);
        sealed.json("a.json", 500);
        SealedFolder.gzip(sealed.access("crlf.log", 500, "\r\n"));
        sealed.odd("odd", 500);
        sealed.application("application.log", 500);
        spark = Cluster.restart(2, Map.of("spark.executor.extraJavaOptions", "-Dsealmark.log.native=off"));
    }

    @AfterAll
    static void stop() {
        Cluster.stop();
    }

    @Test
    void noExecutorHasNativeCode() {
        Set<String> reasons = new TreeSet<>(JavaSparkContext.fromSparkContext(spark.sparkContext()).parallelize(List.of(1, 2), 2)
                .map(any -> NativeLibrary.missing().orElse("native")).collect());
        assertEquals(Set.of("the native library was switched off by -Dsealmark.log.native=off"), reasons);
    }

    @Test
    void eachFileOpensAsTheProgramOpensIt() throws Exception {
        Path output = work.resolve("opened");
        Opening opening = SealedLogs.on(spark).keys(KeyProvider.file(sealed.key.toString()))
                .open(List.of(sealed.folder.toString()), output.toString());
        assertEquals(List.of(), opening.warnings());
        assertEquals(SealedFolder.names(sealed.folder), SealedFolder.names(output));
        for (String name : SealedFolder.names(output)) {
            byte[] expected = sealed.opened(sealed.folder.resolve(name));
            assertArrayEquals(expected, SealedFolder.text(output.resolve(name)), name);
        }
    }

    @Test
    void linesOpenInSql() throws Exception {
        Path log = sealed.folder.resolve("a.json");
        String table = work.resolve("sessions.parquet").toString();
        SealedLogs.on(spark).sessions(List.of(log.toString())).write().parquet(table);
        spark.conf().set("spark.sql.catalog.pure", SealmarkCatalog.class.getName());
        spark.conf().set("spark.sql.catalog.pure.identity", sealed.key.toString());
        spark.conf().set("spark.sql.catalog.pure.sessions", table);
        spark.read().text(log.toString()).createOrReplaceTempView("pure_lines");
        List<String> opened = spark.sql("SELECT pure.open_line(value) AS line FROM pure_lines").where("line IS NOT NULL")
                .collectAsList().stream().map(row -> row.getString(0)).sorted().toList();
        assertEquals(new String(sealed.opened(log), UTF_8).lines().sorted().toList(), opened);
    }
}
