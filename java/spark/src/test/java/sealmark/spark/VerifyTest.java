package sealmark.spark;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.testing.SealmarkProgram;

/** Faults are planted in files of several sessions, and each is found where it is. */
class VerifyTest {
    private static final int FILES = 5;
    private static final int LINES = 450;
    private static final int APART = 10;
    /** Lines of a session are in two files: the second one has no header. */
    private static final int ROLLED = 220;

    @TempDir
    static Path work;

    /** A line of a log: the same text may be there twice. */
    private static final class Line {
        String text;

        Line(String text) {
            this.text = text;
        }
    }

    /** A fault: its kind, and the line that it is found in. */
    private record Planted(String kind, Line line) {}

    @Test
    void twoHundredPlantedFaultsAreFoundWhereTheyAre() throws Exception {
        SealmarkProgram.assumeBuilt();
        SealedFolder sealed = new SealedFolder(work);
        SealedLogs logs = SealedLogs.on(Cluster.session()).keys(KeyProvider.file(sealed.key.toString()));
        List<List<Line>> files = new ArrayList<>();
        for (int number = 0; number < FILES; number++) {
            Path log = sealed.users("log-" + number, LINES);
            List<Line> lines = new ArrayList<>(Files.readAllLines(log, ISO_8859_1).stream().map(Line::new).toList());
            Files.delete(log);
            files.add(new ArrayList<>(lines.subList(0, ROLLED)));
            files.add(new ArrayList<>(lines.subList(ROLLED, lines.size())));
        }
        write(sealed, files);
        Verification whole = logs.verify(List.of(sealed.folder.toString()));
        assertEquals(List.of("10 files, 5 sessions", FILES * LINES + " sealed values verified; text outside tokens is not"
                + " protected"), whole.lines());
        assertEquals(0, whole.exitCode());

        List<Planted> planted = new ArrayList<>();
        for (List<Line> file : files) {
            plant(file, planted);
        }
        assertEquals(200, planted.size());
        write(sealed, files);
        SealedFolder.gzip(sealed.folder.resolve("log-3.b"));
        Verification verification = logs.verify(List.of(sealed.folder.toString()));
        assertEquals(4, verification.exitCode());
        Set<String> expected = new TreeSet<>();
        Set<String> near = new TreeSet<>();
        for (int file = 0; file < files.size(); file++) {
            long offset = 0;
            for (int line = 0; line < files.get(file).size(); line++) {
                Line one = files.get(file).get(line);
                for (Planted fault : planted) {
                    if (fault.line == one) {
                        String name = name(file) + (name(file).equals("log-3.b") ? ".gz" : "");
                        expected.add(fault.kind + " " + name + " " + (offset + one.text.indexOf("~s1")) + " " + (line + 1));
                        for (int around = -2; around <= 3; around++) {
                            near.add(name + " " + (line + 1 + around));
                        }
                    }
                }
                offset += one.text.length() + 1;
            }
        }
        assertEquals(200, expected.size());
        List<Row> rows = verification.faults(Cluster.session()).collectAsList();
        Set<String> found = rows.stream().map(VerifyTest::shown).collect(Collectors.toSet());
        expected.removeAll(found);
        assertEquals(Set.of(), expected, "not found");
        for (Row row : rows) {
            String name = Path.of(row.<String>getAs("file")).getFileName().toString();
            assertTrue(near.contains(name + " " + row.<Long>getAs("line")), () -> "no fault was planted there: " + row);
        }
        assertEquals(50, rows.stream().filter(row -> row.getString(0).equals("tampered")).count());
        assertEquals(50, rows.stream().filter(row -> row.getString(0).equals("repeated")).count());
        assertEquals(100, rows.stream().filter(row -> row.getString(0).equals("missing")).count(), "removed, and altered");
    }

    @Test
    void faultsBeyondTheFirstOnesAreCountedAndNotKept() throws Exception {
        SealmarkProgram.assumeBuilt();
        SealedFolder sealed = new SealedFolder(Files.createDirectories(work.resolve("many")));
        int values = 6_000;
        for (String name : List.of("a.json", "b.json")) {
            Path log = sealed.users(name, values);
            Files.write(log, Files.readAllLines(log).stream()
                    .map(line -> line.contains("\"user\"") ? altered(line) : line).toList());
        }
        Verification verification = SealedLogs.on(Cluster.session()).keys(KeyProvider.file(sealed.key.toString()))
                .verify(List.of(sealed.folder.toString()));
        List<Row> rows = verification.faults(Cluster.session()).collectAsList();
        assertEquals(FileLedger.MOST_FINDINGS, rows.size());
        List<String> lines = verification.lines();
        assertEquals(FileLedger.MOST_FINDINGS + 3, lines.size());
        List<String> last = lines.subList(FileLedger.MOST_FINDINGS, lines.size());
        int altered = 2 * values;
        int gaps = 2;
        assertEquals("and " + (altered + gaps - FileLedger.MOST_FINDINGS) + " more", last.get(0));
        assertTrue(last.get(2).contains(", " + altered + " altered"), last.get(2));
        assertEquals(4, verification.exitCode());
        // The first ones by file and place are kept, whichever task has found them.
        assertEquals(values, rows.stream().filter(row -> row.getString(0).equals("tampered")
                && row.<String>getAs("file").endsWith("/a.json")).count());
    }

    /** Twenty faults in each file, of four kinds in turn. */
    private static void plant(List<Line> lines, List<Planted> planted) {
        for (int fault = 0; fault < 20; fault++) {
            // The first lines are headers, and earlier faults moved the others by a line or two.
            int at = 8 + fault * APART;
            Line line = lines.get(at);
            switch (fault % 4) {
                case 0 -> {
                    line.text = altered(line.text);
                    planted.add(new Planted("tampered", line));
                }
                case 1 -> {
                    lines.remove(at);
                    planted.add(new Planted("missing", lines.get(at)));
                }
                case 2 -> {
                    Line copy = new Line(line.text);
                    lines.add(at + 1, copy);
                    planted.add(new Planted("repeated", copy));
                }
                default -> {
                    lines.set(at, lines.get(at + 1));
                    lines.set(at + 1, line);
                    planted.add(new Planted("out of order", lines.get(at)));
                }
            }
        }
    }

    /** Another character in the tag of the last token. */
    static String altered(String line) {
        int body = line.lastIndexOf('~') - 5;
        return line.substring(0, body) + (line.charAt(body) == 'A' ? 'B' : 'A') + line.substring(body + 1);
    }

    private static void write(SealedFolder sealed, List<List<Line>> files) throws Exception {
        for (int file = 0; file < files.size(); file++) {
            String text = files.get(file).stream().map(line -> line.text + "\n").collect(Collectors.joining());
            Files.writeString(sealed.folder.resolve(name(file)), text, ISO_8859_1);
            Files.deleteIfExists(sealed.folder.resolve("." + name(file) + ".crc"));
        }
    }

    private static String name(int file) {
        return "log-" + file / 2 + (file % 2 == 0 ? ".a" : ".b");
    }

    private static String shown(Row row) {
        String file = Path.of(row.<String>getAs("file")).getFileName().toString();
        return row.getAs("kind") + " " + file + " " + row.getAs("offset") + " " + row.getAs("line");
    }
}
