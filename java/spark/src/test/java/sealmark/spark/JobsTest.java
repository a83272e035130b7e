package sealmark.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.keys.Recipient;
import sealmark.testing.SealmarkProgram;

/** Searching and re-keying, beside the program. */
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
    }

    @Test
    void linesAreFoundThatTheProgramFinds() throws Exception {
        String pattern = "203\\.0\\.113\\.7\\b";
        Search search = logs(sealed).grep(List.of(sealed.folder.toString()), Pattern.compile(pattern));
        List<String> found = search.lines().collectAsList().stream().map(JobsTest::shown).sorted().toList();
        assertEquals(List.of(), search.unopened().warnings());
        List<String> expected = new String(SealmarkProgram.run(sealed.folder, "log", "grep", "-i", sealed.key.toString(), "-n",
                "-H", pattern, "a.json", "access.log"), UTF_8).lines().sorted().toList();
        assertEquals(expected, found);
        Row first = search.lines().orderBy("file", "line").first();
        byte[] file = Files.readAllBytes(sealed.folder.resolve("a.json"));
        assertEquals('{', file[(int) first.getLong(1)], "the line begins there");
        assertEquals('\n', file[(int) first.getLong(1) - 1], "and the one before ends");
        assertEquals(0, logs(sealed).grep(List.of(sealed.folder.toString()), Pattern.compile("~s1a")).lines().count());
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
            assertArrayEquals(sealed.opened(sealed.folder.resolve(name)), Files.readAllBytes(output.resolve(name)), name);
        }
        assertEquals(2, logs(others).rekey(List.of(sealed.folder.toString()), Recipient.readAll(sealed.recipients),
                work.resolve("none.parquet").toString()), "headers that the key does not open are counted");
    }

    private static SealedLogs logs(SealedFolder folder) {
        return SealedLogs.on(Cluster.session()).keys(KeyProvider.file(folder.key.toString()));
    }

    private static String shown(Row line) {
        return Path.of(line.getString(0)).getFileName() + ":" + line.getLong(2) + ":" + line.getString(3);
    }
}
