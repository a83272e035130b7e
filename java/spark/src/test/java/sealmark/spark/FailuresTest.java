package sealmark.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.testing.SealmarkProgram;

/** A job that cannot do all that was asked says so, and leaves nothing half done. */
class FailuresTest {
    @TempDir
    static Path work;

    private static SealedFolder sealed;

    @BeforeAll
    static void seal() throws Exception {
        SealmarkProgram.assumeBuilt();
        sealed = new SealedFolder(work);
        sealed.json("a.json", 500);
        SealedFolder.gzip(sealed.json("b.json", 500));
    }

    @Test
    void aKeyThatAnExecutorLacksIsNamedAndNoOutputAppears() throws Exception {
        Cluster.session();
        Path output = work.resolve("keyless");
        String said = errors(2, "open", "-i", "/nowhere/ops.key", "-o", output.toString(), sealed.folder.toString());
        assertTrue(said.startsWith("error: there is no key file \"/nowhere/ops.key\" on "), said);
        assertTrue(said.contains("\nhint: put it on each executor"), said);
        assertFalse(Files.exists(output));
    }

    @Test
    void aDamagedFileIsNamedAndTheOthersAreOpened() throws Exception {
        Path folder = Files.createDirectories(work.resolve("damaged"));
        Files.copy(sealed.folder.resolve("a.json"), folder.resolve("a.json"));
        byte[] packed = Files.readAllBytes(sealed.folder.resolve("b.json.gz"));
        Files.write(folder.resolve("cut.json.gz"), Arrays.copyOf(packed, packed.length - 9));
        packed[packed.length / 2] ^= 0x55;
        Files.write(folder.resolve("altered.json.gz"), packed);
        Path output = work.resolve("undamaged");
        Cluster.session();
        String said = errors(4, "open", "-i", sealed.key.toString(), "-o", output.toString(), folder.toString());
        assertTrue(said.contains("the compressed log is cut off, and was not opened: \"file:" + folder + "/cut.json.gz\""),
                said);
        assertTrue(said.contains("altered.json.gz\"\nhint: get it again"), said);
        assertEquals(List.of("a.json"), SealedFolder.names(output));
        assertArrayEquals(sealed.opened(folder.resolve("a.json")), Files.readAllBytes(output.resolve("a.json")));

        String searched = errors(4, "grep", "-i", sealed.key.toString(), "-o", work.resolve("searched").toString(), "user-1\\b",
                folder.toString());
        assertTrue(searched.contains("the compressed log is cut off, and was not searched to its end: \"file:" + folder
                + "/cut.json.gz\"\nhint: get it again"), searched);
        Verification verification = SealedLogs.on(Cluster.session()).keys(KeyProvider.file(sealed.key.toString()))
                .verify(List.of(folder.toString()));
        assertEquals(4, verification.exitCode());
        assertEquals(List.of("file:" + folder + "/altered.json.gz: the compressed log is damaged",
                "file:" + folder + "/cut.json.gz: the compressed log is cut off"),
                verification.faults(Cluster.session()).where("kind = 'damaged'").collectAsList().stream()
                        .map(row -> row.<String>getAs("file") + ": " + row.<String>getAs("text")).toList());
    }

    @Test
    void headersBehindDamageAreMissingAndTheFileIsNamed() throws Exception {
        SealedFolder two = new SealedFolder(Files.createDirectories(work.resolve("behind")));
        two.users("whole.json", 100);
        Path both = two.users("cut.json", 10_000);
        Path second = two.users("second.json", 10_000);
        Files.write(both, Files.readAllBytes(second), StandardOpenOption.APPEND);
        Files.delete(second);
        Path packed = SealedFolder.gzip(both);
        byte[] bytes = Files.readAllBytes(packed);
        Files.write(packed, Arrays.copyOf(bytes, bytes.length / 3));
        Cluster.session();
        String warning = "warning: the compressed log is cut off, and was not read to its end: \"file:" + packed
                + "\"\nhint: get it again from where it was compressed\n";

        String table = work.resolve("behind.parquet").toString();
        assertEquals(warning, errors(4, "sessions", "-o", table, two.folder.toString()));
        assertEquals(2, Cluster.session().read().parquet(table).count(), "a header before the damage, and another file's");
        String[] rekey = {"rekey", "-i", two.key.toString(), "-R", two.recipients.toString(), "-o",
            work.resolve("behind.rekeyed").toString(), two.folder.toString()};
        assertEquals(warning, errors(4, rekey));
        String rewritten = errors(4, "rekey", "-i", two.key.toString(), "-R", two.recipients.toString(), "-o",
                work.resolve("behind.again").toString(), "--sessions", table, "--rewrite",
                work.resolve("behind.files").toString(), two.folder.toString());
        assertEquals(warning.replace("read to its end", "re-keyed"), rewritten);

        Dataset<Row> query = Cluster.session().read().format(SessionsSource.NAME).load(two.folder.toString());
        Exception failed = assertThrows(Exception.class, query::count);
        assertTrue(Causes.words(failed).startsWith("the compressed log is cut off: \"file:" + packed
                + "\"\nhint: get it again"), Causes.words(failed));

        Files.write(packed, bytes);
        assertEquals("", errors(0, "sessions", "--force", "-o", table, two.folder.toString()));
        assertEquals(3, Cluster.session().read().parquet(table).count());
    }

    @Test
    void aLineThatIsTooLongToSearchForHeadersIsCounted() throws Exception {
        Path log = Files.writeString(work.resolve("long.log"), "x".repeat(Lines.LONGEST + 1) + "\n");
        Cluster.session();
        assertEquals("warning: 1 line longer than 16 MiB left as it is\n",
                errors(2, "sessions", "-o", work.resolve("long.parquet").toString(), log.toString()));
    }

    @Test
    void aTokenThatWasAlteredStaysAndIsCounted() throws Exception {
        Path folder = Files.createDirectories(work.resolve("altered"));
        List<String> lines = new ArrayList<>(Files.readAllLines(sealed.folder.resolve("a.json")));
        lines.replaceAll(line -> line.equals(lines.get(100)) ? VerifyTest.altered(line) : line);
        Path log = Files.write(folder.resolve("a.json"), lines);
        Path output = work.resolve("unaltered");
        Cluster.session();
        assertEquals("warning: 1 token not opened: authentication failed\nhint: get the log again from where it was sealed\n",
                errors(4, "open", "-i", sealed.key.toString(), "-o", output.toString(), log.toString()));
        assertArrayEquals(SealmarkProgram.run(work, 4, "log", "open", "-i", sealed.key.toString(), log.toString()),
                Files.readAllBytes(output.resolve("a.json")));
        Opening opening = SealedLogs.on(Cluster.session()).keys(KeyProvider.file(sealed.key.toString())).force()
                .open(List.of(log.toString()), output.toString());
        Row row = opening.files(Cluster.session()).first();
        assertEquals(List.of(999L, 1L), List.of(row.<Long>getAs("opened"), row.<Long>getAs("tampered")));
    }

    @Test
    void anotherKeyOpensNothingAndEveryTokenIsCounted() throws Exception {
        SealedFolder others = new SealedFolder(Files.createDirectories(work.resolve("others")));
        Cluster.session();
        String said = errors(3, "open", "-i", others.key.toString(), "-o", work.resolve("closed").toString(),
                sealed.folder.resolve("a.json").toString());
        assertEquals("warning: 1000 tokens not opened: none of the keys opens the session\nhint: pass another key with -i\n",
                said);
    }

    @Test
    void anExecutorThatIsKilledCostsTimeAndNothingElse() throws Exception {
        SealedFolder many = new SealedFolder(Files.createDirectories(work.resolve("many")));
        Path one = many.json("0.json", 20_000);
        for (int copy = 1; copy < 40; copy++) {
            Files.copy(one, many.folder.resolve(copy + ".json"));
        }
        SealedLogs logs = SealedLogs.on(Cluster.session()).keys(KeyProvider.file(many.key.toString()));
        Path output = work.resolve("survived");
        CompletableFuture<Opening> opening = CompletableFuture.supplyAsync(() -> {
            try {
                return logs.open(List.of(many.folder.toString()), output.toString());
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        // Some outputs are being written, and none has its name yet.
        while (!opening.isDone() && !isWriting(output)) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertFalse(opening.isDone(), "too fast to be killed");
        ProcessHandle.current().descendants().filter(FailuresTest::isExecutor).findFirst().orElseThrow().destroyForcibly();
        assertEquals(List.of(), opening.get(300, TimeUnit.SECONDS).warnings());
        assertEquals(SealedFolder.names(many.folder), SealedFolder.names(output));
        byte[] expected = many.opened(one);
        for (String name : SealedFolder.names(output)) {
            assertArrayEquals(expected, Files.readAllBytes(output.resolve(name)), name);
        }
        try (var left = Files.list(output)) {
            assertEquals(List.of(), left.filter(path -> path.getFileName().toString().startsWith("_")).toList());
        }
    }

    private static boolean isExecutor(ProcessHandle process) {
        return process.info().commandLine().orElse("").contains("CoarseGrainedExecutorBackend");
    }

    private static boolean isWriting(Path output) throws Exception {
        return Files.isDirectory(output) && SealedFolder.names(output).stream().anyMatch(name -> name.startsWith("_"));
    }

    @Test
    void aFileThatGrowsIsReadAsItWasAndOneThatChangesIsRefused() throws Exception {
        Path file = Files.writeString(work.resolve("grows.log"), "one\ntwo\n");
        Configuration configuration = new Configuration();
        LogFile listed = LogFiles.list(configuration, List.of(file.toString())).get(0);
        Files.writeString(file, "three\n", StandardOpenOption.APPEND);
        try (InputStream in = Hadoop.text(listed, configuration).in()) {
            assertEquals("one\ntwo\n", new String(in.readAllBytes(), UTF_8));
        }
        Files.writeString(file, "one\n");
        SourceStream.Failed shorter = assertThrows(SourceStream.Failed.class, () -> {
            try (InputStream in = Hadoop.text(listed, configuration).in()) {
                in.readAllBytes();
            }
        });
        assertTrue(shorter.getMessage().contains("became shorter while the job ran\nhint: "), shorter.getMessage());
    }

    @Test
    void outputsThatExistAreKeptUnlessTheyMayBeReplaced() throws Exception {
        Path output = Files.createDirectories(work.resolve("kept"));
        Path kept = Files.writeString(output.resolve("a.json"), "mine\n");
        Cluster.session();
        String log = sealed.folder.resolve("a.json").toString();
        String said = errors(1, "open", "-i", sealed.key.toString(), "-o", output.toString(), log);
        assertTrue(said.contains("exists\nhint: open into another folder, or add --force"), said);
        assertEquals("mine\n", Files.readString(kept));
        errors(0, "open", "--force", "-i", sealed.key.toString(), "-o", output.toString(), log);
        assertArrayEquals(sealed.opened(sealed.folder.resolve("a.json")), Files.readAllBytes(kept));
    }

    @Test
    void outputsThatHaveTheirNamesAreTakenBackIfAnotherCannotGetIt() throws Exception {
        Path folder = Files.createDirectories(work.resolve("two/b")).getParent();
        Files.copy(sealed.folder.resolve("a.json"), folder.resolve("a.json"));
        Files.copy(sealed.folder.resolve("a.json"), folder.resolve("b/b.json"));
        Path output = Files.createDirectories(work.resolve("taken-back"));
        Files.writeString(output.resolve("b"), "a file, where a folder belongs");
        Cluster.session();
        errors(1, "open", "-i", sealed.key.toString(), "-o", output.toString(), folder.toString());
        assertEquals(List.of("b"), SealedFolder.names(output));
    }

    @Test
    void sparkWithoutEncryptionIsRefusedWithTheSettingsToAdd() {
        SparkConf conf = new SparkConf(false).set("spark.master", "spark://host:7077");
        IllegalStateException all = assertThrows(IllegalStateException.class, () -> SpillGuard.require(conf, "--allow"));
        assertEquals("Spark would write or send opened values in the clear\nhint: add --conf spark.io.encryption.enabled=true"
                + " --conf spark.authenticate=true --conf spark.network.crypto.enabled=true, or allow it with --allow",
                all.getMessage());
        conf.set("spark.io.encryption.enabled", "true").set("spark.network.crypto.enabled", "true");
        assertThrows(IllegalStateException.class, () -> SpillGuard.require(conf, "--allow"), "nobody is authenticated");
        SpillGuard.require(conf.clone().set("spark.authenticate", "true"), "--allow");
        SpillGuard.require(conf.clone().set("spark.ssl.rpc.enabled", "true"), "--allow");
        SpillGuard.require(new SparkConf(false).set("spark.master", "local[4]").set("spark.io.encryption.enabled", "true"), "");
    }

    @Test
    void aCommandLineThatIsWrongSaysWhatToType() {
        Cluster.session();
        assertEquals("error: no input given\nhint: name logs, or a folder of logs\n", errors(1, "verify"));
        assertTrue(errors(1, "open", "--what").contains("unknown option \"--what\"\nhint: "));
        assertTrue(errors(1, "open", "-i").contains("needs a value\nhint: "));
        assertTrue(errors(1, "open", "-i", "a", "--credential", "b", "x").contains("keys come from one place"));
        assertTrue(errors(1, "open", "--key-provider", "no.such.Class", "x").contains("cannot make a key provider"));
    }

    @Test
    void aKeyInPlaceOfAFileNameIsRefusedAndNotRepeated() {
        Cluster.session();
        for (String key : List.of("AGE-SECRET-KEY-1QQQ", "# made today\nsealmark-secret-key-psk-1qqq\n")) {
            for (String option : List.of("-i", "--credential", "--key-provider")) {
                String said = errors(1, "open", option, key, "x");
                assertTrue(said.startsWith("error: a secret key was given in place of a name\nhint: name a "), said);
                assertFalse(said.toLowerCase(Locale.ROOT).contains("1qqq"), said);
            }
        }
    }

    @Test
    void aSearchThatWritesNoLineEndsAsOneThatPrintsNone() {
        Cluster.session();
        String log = sealed.folder.resolve("a.json").toString();
        errors(1, "grep", "-i", sealed.key.toString(), "-o", work.resolve("none").toString(), "nobody", log);
        errors(0, "grep", "-i", sealed.key.toString(), "-o", work.resolve("some").toString(), "user-1\\b", log);
    }

    @Test
    void keysBeforeOneThatIsWrongAreWiped() throws Exception {
        byte[] one = Files.readAllBytes(sealed.key);
        byte[] both = Arrays.copyOf(one, one.length + 2);
        both[one.length] = 'x';
        both[one.length + 1] = '\n';
        Openers.Keys keys = new Openers.Keys(new ArrayList<>(), new ArrayList<>());
        assertThrows(java.io.IOException.class, () -> Openers.fill(keys, configuration -> both, new Configuration()));
        assertEquals(1, keys.identities().size());
        assertThrows(IllegalStateException.class, () -> keys.identities().get(0).secretBytes());
    }

    private static String errors(int code, String... arguments) {
        PrintStream before = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, UTF_8));
        try {
            assertEquals(code, Main.run(arguments), () -> said.toString(UTF_8));
        } finally {
            System.setErr(before);
        }
        return said.toString(UTF_8).lines().filter(line -> line.matches("(error|warning|hint): .*|.*\\S.*"))
                .reduce("", (all, line) -> all + line + "\n");
    }
}
