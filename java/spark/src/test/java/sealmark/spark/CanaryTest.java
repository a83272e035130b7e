package sealmark.spark;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.api.java.StorageLevels;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.reader.Identity;
import sealmark.log.reader.SessionKeys;
import sealmark.testing.Canary;
import sealmark.testing.SealmarkProgram;

/** Neither the secret key nor a value is in anything that Spark keeps: disks, event logs, plans, pages. */
class CanaryTest {
    @TempDir
    static Path work;

    @Test
    void sparkKeepsNoKeyAndNoValue() throws Exception {
        SealmarkProgram.assumeBuilt();
        SealedFolder sealed = new SealedFolder(work);
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < 5_000; at++) {
            text.append("{\"n\":").append(at).append(",\"user\":\"").append(Canary.MARK).append(at % 1_000).append("\"}\n");
        }
        Path log = sealed.seal("a.json", text.toString().getBytes(UTF_8), "--json", "user");
        String table = work.resolve("sessions.parquet").toString();
        SparkSession spark = Cluster.session();
        SealedLogs logs = SealedLogs.on(spark).keys(KeyProvider.file(sealed.key.toString()));
        logs.sessions(List.of(log.toString())).write().parquet(table);
        logs.verify(List.of(log.toString()));
        logs.open(List.of(log.toString()), work.resolve("opened").toString());
        spark.conf().set("spark.sql.catalog.canary", SealmarkCatalog.class.getName());
        spark.conf().set("spark.sql.catalog.canary.identity", sealed.key.toString());
        spark.conf().set("spark.sql.catalog.canary.sessions", table);
        spark.read().json(log.toString()).where("user IS NOT NULL").createOrReplaceTempView("canary_lines");
        // Values go through a shuffle, a sort, and a cache on disk.
        Dataset<Row> counted = spark.sql("SELECT canary.open(user) AS who, count(*) AS often FROM canary_lines GROUP BY who"
                + " ORDER BY who").persist(StorageLevels.DISK_ONLY);
        assertEquals(1_000, counted.count());
        assertEquals(1_000, spark.sql("SELECT canary.open(user) AS who FROM canary_lines").repartition(8).distinct().count());
        assertTrue(find(Cluster.LOCAL, "").size() > 0, "nothing was written: the test finds nothing");

        String key = Files.readAllLines(sealed.key).stream().filter(line -> !line.startsWith("#")).findFirst().orElseThrow();
        byte[] header = spark.read().parquet(table).select(SessionsSource.HEADER).first().getAs(0);
        List<byte[]> raw;
        try (Identity identity = Identity.parse(key)) {
            raw = List.of(identity.secretBytes(), SessionKeys.ofValues(header, identity));
        }
        String plan = counted.queryExecution().toString()
                + counted.queryExecution().analyzed().treeString(true, true, 1_000, true, true);
        assertTrue(plan.contains("sealmark.open"), plan);
        assertNone("a plan", plan, key);
        for (Path folder : List.of(Cluster.LOCAL, Cluster.EVENTS, Path.of(System.getProperty("sealmark.spark.home"), "work"))) {
            for (String found : List.of(Canary.MARK, key)) {
                assertEquals(List.of(), find(folder, found), "below " + folder);
            }
            for (byte[] secret : raw) {
                assertEquals(List.of(), find(folder, new String(secret, ISO_8859_1)), "bytes of a key below " + folder);
                String encoded = Base64.getEncoder().withoutPadding().encodeToString(secret);
                assertEquals(List.of(), find(folder, encoded), "base64 of a key below " + folder);
            }
        }
        assertFalse(find(Cluster.EVENTS, "sealmark.open").isEmpty(), "the event log has the query");
        String application = "api/v1/applications/" + spark.sparkContext().applicationId();
        String queries = application + "/sql?details=true&length=1000";
        for (String page : List.of("jobs/", "stages/", "storage/", "environment/", "executors/", "SQL/",
                application + "/environment", queries)) {
            assertNone(page, page(spark, page), key);
        }
        assertTrue(page(spark, "environment/").contains("spark.io.encryption.enabled"), "the page is there");
        List<String> executions = Pattern.compile("\"id\" : (\\d+)").matcher(page(spark, queries)).results()
                .map(found -> page(spark, "SQL/execution/?id=" + found.group(1))).toList();
        executions.forEach(execution -> assertNone("the page of a query", execution, key));
        assertTrue(executions.stream().anyMatch(execution -> execution.contains("sealmark.open")), "no page has the query");
        counted.unpersist();
    }

    private static void assertNone(String where, String text, String key) {
        Canary.assertNone(where, text.getBytes(UTF_8));
        assertFalse(text.toLowerCase(Locale.ROOT).contains(key.toLowerCase(Locale.ROOT)), where + " has the secret key");
    }

    private static String page(SparkSession spark, String page) {
        String address = spark.sparkContext().uiWebUrl().get() + "/" + page;
        HttpRequest request = HttpRequest.newBuilder(URI.create(address)).build();
        HttpResponse<String> response = HttpClient.newHttpClient()
                .sendAsync(request, HttpResponse.BodyHandlers.ofString()).join();
        assertEquals(200, response.statusCode(), page);
        return response.body();
    }

    /** The files below a folder that have a text in them. */
    private static List<Path> find(Path folder, String text) throws Exception {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).filter(file -> !file.toString().endsWith(".jar"))
                    .filter(file -> has(file, text)).toList();
        }
    }

    private static boolean has(Path file, String text) {
        try {
            return new String(Files.readAllBytes(file), ISO_8859_1).contains(text);
        } catch (NoSuchFileException gone) {
            return false;
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
