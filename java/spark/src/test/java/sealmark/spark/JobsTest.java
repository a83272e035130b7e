package sealmark.spark;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.alias.CredentialProvider;
import org.apache.hadoop.security.alias.CredentialProviderFactory;
import org.apache.spark.sql.Row;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.keys.Recipient;
import sealmark.log.reader.HeaderRewriter;
import sealmark.testing.SealmarkProgram;

/** Searching and re-keying return the same as the program. */
class JobsTest {
    @TempDir
    static Path work;

    private static SealedFolder sealed;

    @BeforeAll
    static void seal() throws Exception {
        SealmarkProgram.assumeBuilt();
        sealed = new SealedFolder(work);
        sealed.json("a.json", 1_000);
        sealed.access("access.log", 1_000, "\n");
        SealedFolder.gzip(sealed.json("b.json", 100));
        SealedFolder.zstd(sealed.json("c.json", 100));
    }

    @Test
    void linesAreFoundThatTheProgramFinds() throws Exception {
        String pattern = "203\\.0\\.113\\.7\\b";
        Search search = logs(sealed).grep(List.of(sealed.folder.toString()), Pattern.compile(pattern));
        List<String> found = search.lines().collectAsList().stream().map(JobsTest::shown).sorted().toList();
        assertEquals(List.of(), search.unopened().warnings());
        List<String> command = new ArrayList<>(List.of("log", "grep", "-i", sealed.key.toString(), "-n", "-H", pattern));
        command.addAll(SealedFolder.names(sealed.folder));
        List<String> expected = new String(SealmarkProgram.run(sealed.folder, command.toArray(String[]::new)), UTF_8).lines()
                .sorted().toList();
        assertEquals(expected, found);
        Row first = search.lines().orderBy("file", "line").first();
        byte[] file = Files.readAllBytes(sealed.folder.resolve("a.json"));
        assertEquals('{', file[(int) first.getLong(1)], "the line begins there");
        assertEquals('\n', file[(int) first.getLong(1) - 1], "and the one before ends");
        assertEquals(0, logs(sealed).grep(List.of(sealed.folder.toString()), Pattern.compile("~s1a")).lines().count());
    }

    @Test
    void aSearchReadsNoFurtherThanItsLinesAreWanted() throws Exception {
        SealedFolder many = new SealedFolder(Files.createDirectories(work.resolve("many")));
        Path first = many.users("00.json", 200);
        for (int copy = 1; copy < 40; copy++) {
            Files.copy(first, many.folder.resolve("%02d.json".formatted(copy)));
        }
        Search search = logs(many).grep(List.of(many.folder.toString()), Pattern.compile("user-7\\b"));
        // The task that finds the first line would read this file next.
        Files.delete(many.folder.resolve("01.json"));
        assertEquals("00.json:10:{\"n\":7,\"user\":\"user-7\"}", shown(search.lines().first()));
        assertEquals(0, search.unopened().exitCode());
        Exception missing = assertThrows(Exception.class, () -> search.lines().count());
        assertTrue(Causes.words(missing).contains("01.json"), Causes.words(missing));
    }

    @Test
    void aNewTableOpensTheSameFilesWithAnotherKey() throws Exception {
        SealedFolder others = new SealedFolder(Files.createDirectories(work.resolve("others")));
        String table = work.resolve("rekeyed.parquet").toString();
        assertEquals(0, logs(sealed).rekey(List.of(sealed.folder.toString()), Recipient.readAll(others.recipients), table));
        Path output = work.resolve("opened");
        Opening opening = logs(others).sessions(table).open(List.of(sealed.folder.toString()), output.toString());
        assertEquals(List.of(), opening.warnings());
        for (String name : SealedFolder.names(output)) {
            assertArrayEquals(sealed.opened(sealed.folder.resolve(name)), SealedFolder.text(output.resolve(name)), name);
        }
        Path rewritten = work.resolve("rewritten");
        assertEquals(List.of(), SealedLogs.on(Cluster.session()).rewrite(List.of(sealed.folder.toString()), table,
                rewritten.toString()), "without a key");
        assertRewritten(rewritten, others);
        Path typed = work.resolve("typed");
        assertEquals(0, Main.run("rekey", "-i", sealed.key.toString(), "-R", others.recipients.toString(), "-o",
                work.resolve("typed.parquet").toString(), "--rewrite", typed.toString(), sealed.folder.toString()));
        assertRewritten(typed, others);
        assertEquals(4, logs(others).rekey(List.of(sealed.folder.toString()), Recipient.readAll(sealed.recipients),
                work.resolve("none.parquet").toString()), "headers that the key does not open are counted");
    }

    /** Each file keeps its name, its compression and its number of headers, and only the new key opens it. */
    private static void assertRewritten(Path rewritten, SealedFolder others) throws Exception {
        assertEquals(SealedFolder.names(sealed.folder), SealedFolder.names(rewritten));
        for (String name : SealedFolder.names(rewritten)) {
            assertArrayEquals(sealed.opened(sealed.folder.resolve(name)), others.opened(rewritten.resolve(name)), name);
            assertEquals(headerLines(sealed.folder.resolve(name)), headerLines(rewritten.resolve(name)), "no header more");
            SealmarkProgram.run(work, 3, "log", "open", "-i", sealed.key.toString(), rewritten.resolve(name).toString());
            assertArrayEquals(start(sealed.folder.resolve(name)), start(rewritten.resolve(name)), name);
        }
    }

    /** The bytes that tell how a file is compressed. */
    private static byte[] start(Path file) throws Exception {
        return Arrays.copyOf(Files.readAllBytes(file), 2);
    }

    @Test
    void anotherKeyIsWrappedWhenItsRowIsWanted() throws Exception {
        List<Row> rows = logs(sealed).sessions(List.of(sealed.folder.toString())).collectAsList();
        assertEquals(4, rows.size());
        AtomicInteger read = new AtomicInteger();
        try (Openers.Keys keys = Openers.keys(KeyProvider.file(sealed.key.toString()), new Configuration())) {
            HeaderRewriter rewriter = new HeaderRewriter(keys.identities(), keys.preShared(),
                    Recipient.readAll(sealed.recipients));
            Iterator<Row> rewritten = new RekeyTask(null, null, null, new LongAccumulator()).rewritten(rewriter,
                    rows.stream().peek(row -> read.incrementAndGet()).iterator());
            rewritten.next();
            assertEquals(1, read.get());
        }
    }

    @Test
    void keysComeFromAClassOrACredentialProvider() throws Exception {
        String log = sealed.folder.resolve("a.json").toString();
        Path named = work.resolve("by-class");
        FoundKeys.place(sealed.key);
        assertEquals(0, Main.run("open", "--key-provider", FoundKeys.class.getName(), "-o", named.toString(), log));
        assertArrayEquals(sealed.opened(Path.of(log)), Files.readAllBytes(named.resolve("a.json")));

        Configuration hadoop = Cluster.session().sparkContext().hadoopConfiguration();
        hadoop.set(CredentialProviderFactory.CREDENTIAL_PROVIDER_PATH, "localjceks://file" + work.resolve("keys.jceks"));
        CredentialProvider provider = CredentialProviderFactory.getProviders(hadoop).get(0);
        provider.createCredentialEntry("ops", Files.readString(sealed.key).toCharArray());
        provider.flush();
        Path credential = work.resolve("by-credential");
        assertEquals(0, Main.run("open", "--credential", "ops", "-o", credential.toString(), log));
        assertArrayEquals(sealed.opened(Path.of(log)), Files.readAllBytes(credential.resolve("a.json")));
        assertEquals(2, Main.run("open", "--credential", "none", "-o", work.resolve("no-credential").toString(), log));
    }

    /** The driver sees no key, and a secret that is replaced is read anew. */
    @Test
    void keysComeFromASecretThatExecutorsHaveMounted() throws Exception {
        boolean isRoot = System.getProperty("os.name").equals("Linux") && System.getProperty("user.name").equals("root");
        assumeTrue(isRoot, "ONLY ROOT ON LINUX CAN MOUNT A SECRET FOR EXECUTORS: it was NOT tested");
        assertTrue(Cluster.canMount(), "unshare --mount is refused");
        Cluster.session();
        Path secret = Cluster.SECRETS.resolve("ops.key");
        // One of the two executors reads at least two of three secrets.
        for (int version = 1; version <= 3; version++) {
            SealedFolder folder = new SealedFolder(Files.createDirectories(work.resolve("secret-" + version)));
            Path log = folder.users("a.json", 100);
            mount(folder, ".." + version);
            assertFalse(Files.exists(secret), "the driver sees the secret");
            Path output = work.resolve("by-secret-" + version);
            assertEquals(0, Main.run("open", "-i", secret.toString(), "-o", output.toString(), log.toString()));
            assertArrayEquals(folder.opened(log), Files.readAllBytes(output.resolve("a.json")));
        }
    }

    /** Kubernetes mounts a secret as links into a folder, and replaces the link to the folder. */
    private static void mount(SealedFolder folder, String version) throws Exception {
        Path files = Files.createDirectories(Cluster.VAULT.resolve(version));
        Path file = Files.copy(folder.key, files.resolve("ops.key"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
        Path next = Files.createSymbolicLink(Cluster.VAULT.resolve("..data_tmp"), Path.of(version));
        Files.move(next, Cluster.VAULT.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        Path link = Cluster.VAULT.resolve("ops.key");
        if (!Files.isSymbolicLink(link)) {
            Files.createSymbolicLink(link, Path.of("..data/ops.key"));
        }
    }

    private static long headerLines(Path file) throws Exception {
        return new String(SealedFolder.text(file), ISO_8859_1).lines().filter(line -> line.contains("~s1h~")).count();
    }

    private static SealedLogs logs(SealedFolder folder) {
        return SealedLogs.on(Cluster.session()).keys(KeyProvider.file(folder.key.toString()));
    }

    private static String shown(Row line) {
        return Path.of(line.getString(0)).getFileName() + ":" + line.getLong(2) + ":" + line.getString(3);
    }
}
