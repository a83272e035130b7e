package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.OpenReport.SessionReport;

/** The vectors of records: a file for each rule of spec/record.md. */
class VectorsTest {
    private static final Path DIRECTORY = Path.of(System.getProperty("sealmark.root"), "spec/vectors/record");

    static List<Path> vectors() throws IOException {
        try (Stream<Path> files = Files.list(DIRECTORY)) {
            return files.sorted().toList();
        }
    }

    @Test
    void thereAreVectors() throws IOException {
        assertTrue(vectors().size() >= 200);
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void opensAsFarAsItMay(Path file) throws Exception {
        Vector vector = Vector.read(file);
        try (LogOpener opener = vector.opener()) {
            vector.check(opener.open(vector.log), opener.report());
        }
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void opensTheSameLineByLine(Path file) throws Exception {
        Vector vector = Vector.read(file);
        ByteArrayOutputStream opened = new ByteArrayOutputStream();
        try (LogOpener opener = vector.opener()) {
            opener.open(new ByteArrayInputStream(vector.log), opened);
            vector.check(opened.toByteArray(), opener.report());
        }
    }

    /** Lines of {@code key: value}, an empty line, a log. */
    private static final class Vector {
        private final List<String> head;
        private final byte[] log;

        private Vector(List<String> head, byte[] log) {
            this.head = head;
            this.log = log;
        }

        static Vector read(Path file) throws IOException {
            byte[] bytes = Files.readAllBytes(file);
            int end = new String(bytes, ISO_8859_1).indexOf("\n\n");
            List<String> head = new String(bytes, 0, end, ISO_8859_1).lines().toList();
            byte[] log = Arrays.copyOfRange(bytes, end + 2, bytes.length);
            return new Vector(head, head.contains("compressed: zlib") ? inflated(log) : log);
        }

        private static byte[] inflated(byte[] log) throws IOException {
            return new InflaterInputStream(new ByteArrayInputStream(log)).readAllBytes();
        }

        LogOpener opener() {
            LogOpener.Builder builder = LogOpener.builder();
            if (head.contains("line breaks: raw")) {
                builder.raw();
            }
            for (String key : values("key")) {
                if (key.startsWith("SEALMARK-SECRET-KEY-PSK-1")) {
                    builder.preSharedKey(PreSharedKey.parse(key));
                } else {
                    builder.identity(key);
                }
            }
            return builder.build();
        }

        void check(byte[] opened, OpenReport report) throws Exception {
            List<Long> counts =
                    List.of(report.opened(), report.orphans(), report.noKey(), report.tampered(), report.notText(),
                            report.cutOff());
            assertEquals(expectedCounts(), counts, "opened, orphans, no key, tampered, not text, cut off");
            Set<String> sessions = report.sessions().entrySet().stream()
                    .map(session -> described(session.getKey(), session.getValue())).collect(Collectors.toSet());
            for (String expected : values("session")) {
                assertTrue(sessions.stream().anyMatch(found -> words(found).containsAll(words(expected))),
                        expected + ", not " + sessions);
            }
            String hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(opened));
            assertEquals(values("output"), List.of(hash), () -> new String(opened, ISO_8859_1));
        }

        private List<Long> expectedCounts() {
            return Stream.of("opened", "orphan", "no key", "tampered", "not text", "cut off")
                    .map(key -> values(key).stream().mapToLong(Long::parseLong).sum()).toList();
        }

        private List<String> values(String key) {
            return head.stream().filter(line -> line.startsWith(key + ": "))
                    .map(line -> line.substring(key.length() + 2)).toList();
        }

        private static Set<String> words(String text) {
            return new TreeSet<>(List.of(text.split(" ", -1)));
        }

        private static String described(String id, SessionReport session) {
            String closing = session.closing().isPresent() ? "" + session.closing().getAsLong() : "none";
            String missing = session.missing().stream().map(run -> run.start() + "-" + run.end())
                    .collect(Collectors.joining(","));
            return id + " values=" + session.values() + " repeated=" + session.repeated() + " closing=" + closing
                    + " missing=" + missing + " beyond=" + session.beyond()
                    + " ordered=" + (session.isOrdered() ? "yes" : "no") + " previous="
                    + session.previous().map(OpenReport.Previous::session).orElse("none") + " count="
                    + session.previous().flatMap(before -> before.count().stream().boxed().findFirst())
                            .map(String::valueOf).orElse("none")
                    + " began=" + session.began().map(began -> "" + began.getEpochSecond()).orElse("none");
        }
    }
}
