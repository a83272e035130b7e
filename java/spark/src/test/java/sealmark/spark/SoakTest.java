package sealmark.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.commons.io.FileUtils;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.testing.SealmarkProgram;

/** {@code make soak}: many files of many sessions, and the time of each way to read them, with two executors of 1 GB. */
class SoakTest {
    private static final int SESSIONS_OF_A_FILE = 5;
    /** Nanoseconds of all tasks that have ended. */
    private static final AtomicLong CPU = new AtomicLong();

    @TempDir
    static Path work;

    @Test
    void manyFilesOpenAsTheProgramOpensThem() throws Exception {
        int files = Integer.getInteger("sealmark.spark.soak.files", 0);
        assumeTrue(files > 0, "make soak");
        int lines = Integer.getInteger("sealmark.spark.soak.lines");
        SealmarkProgram.assumeBuilt();
        SealedFolder sealed = new SealedFolder(work);
        for (int number = 0; number < files; number++) {
            file(sealed, number, lines);
        }
        SealedLogs logs = SealedLogs.on(Cluster.session()).keys(KeyProvider.file(sealed.key.toString()));
        countTime(Cluster.session());
        Path output = work.resolve("opened");
        time("open all", () -> {
            Opening opening = logs.open(List.of(sealed.folder.toString()), output.toString());
            assertEquals(List.of(), opening.warnings());
        });
        assertEquals(SealedFolder.names(sealed.folder), SealedFolder.names(output));
        for (String name : SealedFolder.names(output)) {
            assertArrayEquals(sealed.opened(sealed.folder.resolve(name)), SealedFolder.text(output.resolve(name)), name);
        }
        FileUtils.deleteQuietly(output.toFile());
        // An application ends a session in the middle of each part.
        long applications = IntStream.range(0, files).filter(number -> number % 5 == 3).count();
        time("verify all", () -> {
            Verification verification = logs.verify(List.of(sealed.folder.toString()));
            assertEquals(0, verification.exitCode(), () -> String.join("\n", verification.lines()));
            assertEquals((files + applications) * SESSIONS_OF_A_FILE, verification.sessions(Cluster.session()).count());
        });
        int rounds = Integer.getInteger("sealmark.spark.soak.rounds");
        if (rounds > 0) {
            measure(sealed, logs, rounds);
            measureExecutors(sealed, rounds);
        }
    }

    /** Reads the plain files in each way, one after the other and again, and prints the seconds. */
    private static void measure(SealedFolder sealed, SealedLogs logs, int rounds) throws Exception {
        SparkSession spark = Cluster.session();
        String plain = sealed.folder + "/*.log";
        String table = work.resolve("sessions.parquet").toString();
        SealedLogs.on(spark).sessions(List.of(plain)).write().parquet(table);
        spark.conf().set("spark.sql.catalog.sealmark", SealmarkCatalog.class.getName());
        spark.conf().set("spark.sql.catalog.sealmark.identity", sealed.key.toString());
        spark.conf().set("spark.sql.catalog.sealmark.sessions", table);
        SealmarkFunctions.register(spark, table, sealed.key.toString());
        spark.read().text(plain).createOrReplaceTempView("soak");
        List<String> names = SealedFolder.names(sealed.folder).stream().filter(name -> name.endsWith(".log")).toList();
        long bytes = 0;
        for (String name : names) {
            bytes += Files.size(sealed.folder.resolve(name));
        }
        System.out.printf("%d plain files, %d MB%n", names.size(), bytes / 1_000_000);
        String decrypts = encrypted(spark);
        logs.sessions(table).force();
        for (int round = 0; round < rounds; round++) {
            Path output = work.resolve("round");
            time("sealmark --version", () -> {
                for (int start = 0; start < names.size(); start++) {
                    SealmarkProgram.run(work, "--version");
                }
            });
            time("sealmark log open", work.resolve("one"), () -> {
                for (String name : names) {
                    SealmarkProgram.run(sealed.folder, "log", "open", "-i", sealed.key.toString(), "-o",
                            work.resolve("one").toString(), "--force", name);
                }
            });
            time("job open", output, () -> logs.open(List.of(plain), output.toString()));
            time("text to text", output, () -> spark.sql("SELECT value FROM soak").write().text(output.toString()));
            for (String function : List.of("rtrim", "sealmark.open_line", "sealmark_open_line")) {
                time(function, output, () -> spark.sql("SELECT " + function + "(value) FROM soak").write().text(output.toString()));
            }
            time("aes_decrypt", output, () -> spark.sql(decrypts).write().text(output.toString()));
        }
    }

    /** Reads the plain files with one executor and with two, in turn. */
    private static void measureExecutors(SealedFolder sealed, int rounds) throws Exception {
        String plain = sealed.folder + "/*.log";
        for (int round = 0; round < rounds; round++) {
            for (int executors = 1; executors <= 2; executors++) {
                SparkSession spark = Cluster.restart(executors, Map.of());
                countTime(spark);
                SealedLogs logs = SealedLogs.on(spark).keys(KeyProvider.file(sealed.key.toString()))
                        .sessions(work.resolve("sessions.parquet").toString());
                Path output = work.resolve("round");
                // Executors compile while they do the first.
                for (String which : List.of("first", "second")) {
                    time("job open, " + executors + ", " + which, output, () -> logs.open(List.of(plain), output.toString()));
                    time("text to text, " + executors + ", " + which, output,
                            () -> spark.read().text(plain).write().text(output.toString()));
                }
            }
        }
        Cluster.stop();
    }

    private static void countTime(SparkSession spark) {
        spark.sparkContext().addSparkListener(new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                CPU.addAndGet(end.taskMetrics().executorCpuTime());
            }
        });
    }

    private interface Work {
        void run() throws Exception;
    }

    /** Prints how long it took, and the CPU time of tasks and of programs, which have a start of their own in it. */
    private static void time(String name, Work work) throws Exception {
        Cluster.session().sparkContext().listenerBus().waitUntilEmpty();
        long before = CPU.get() + programs();
        long start = System.nanoTime();
        work.run();
        double seconds = (System.nanoTime() - start) / 1e9;
        Cluster.session().sparkContext().listenerBus().waitUntilEmpty();
        System.out.printf("%-25s %6.2f s, CPU time %6.2f s%n", name, seconds, (CPU.get() + programs() - before) / 1e9);
    }

    /** Removes the output, because all of them together would fill the disk. */
    private static void time(String name, Path output, Work work) throws Exception {
        time(name, work);
        FileUtils.deleteQuietly(output.toFile());
    }

    /** Nanoseconds of all programs that have ended. */
    private static long programs() throws IOException {
        String line = Files.readString(Path.of("/proc/self/stat"));
        // After the name, which may have spaces, the 14th and 15th fields are hundredths of a second of children.
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        return 10_000_000 * (Long.parseLong(fields[13]) + Long.parseLong(fields[14]));
    }

    /** Encrypts each line with Spark's own function, and returns the query that decrypts them, with a join for their keys. */
    private static String encrypted(SparkSession spark) {
        String folder = work.resolve("encrypted").toString();
        String keys = work.resolve("keys.parquet").toString();
        spark.sql("SELECT id AS session, substring(sha2(CAST(id AS STRING), 256), 1, 32) AS key FROM range(2000)").write()
                .parquet(keys);
        spark.read().parquet(keys).createOrReplaceTempView("keys");
        spark.sql("SELECT concat(lpad(session, 4, '0'), translate(base64(aes_encrypt(value, key)), '\\r\\n', ''))"
                + " FROM (SELECT value, abs(hash(value)) % 2000 AS session FROM soak) JOIN keys USING (session)")
                .write().text(folder);
        spark.read().text(folder).createOrReplaceTempView("encrypted");
        return "SELECT CAST(aes_decrypt(unbase64(substring(value, 5)), key) AS STRING) FROM encrypted JOIN keys"
                + " ON session = CAST(substring(value, 1, 4) AS INT)";
    }

    /** Several sessions in one file; every fourth file is compressed with gzip, and every fourth with zstd. */
    private static void file(SealedFolder sealed, int number, int lines) throws Exception {
        Path file = sealed.folder.resolve("file-" + number + ".log");
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int session = 0; session < SESSIONS_OF_A_FILE; session++) {
                Path part = part(sealed, number, "part", lines / SESSIONS_OF_A_FILE);
                out.write(Files.readAllBytes(part));
                boolean isLast = session == SESSIONS_OF_A_FILE - 1;
                out.write((isLast && number % 3 == 0 ? "no end" : "\n").getBytes(UTF_8));
                Files.delete(part);
            }
        }
        if (number % 4 == 2) {
            SealedFolder.gzip(file);
        } else if (number % 4 == 3) {
            SealedFolder.zstd(file);
        }
    }

    private static Path part(SealedFolder sealed, int number, String name, int lines) throws Exception {
        return switch (number % 5) {
            case 0 -> sealed.access(name, lines, "\n");
            case 1 -> sealed.access(name, lines, "\r\n");
            case 2 -> sealed.odd(name, lines);
            case 3 -> sealed.application(name, lines);
            default -> sealed.json(name, lines);
        };
    }
}
