package sealmark.lab.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Job {@code record}: every way to seal values, on every number of threads. */
class RecordTest {
    private static final int BYTES = 49;
    private static final String[][] WAYS = {
        {"SunJCE", "AES-256-GCM-base64", "AES-256-GCM-base64-bytes", "AES-256-GCM-base64-as-written", "RC4-base64"},
        {"BouncyCastle", "AES-256-GCM-base64", "AES-256-GCM-base64-bytes", "AES-256-GCM-base64-as-written", "RC4-base64"},
        {"ACCP", "AES-256-GCM-base64", "AES-256-GCM-base64-bytes", "AES-256-GCM-base64-as-written"},
        {"Conscrypt", "AES-256-GCM-base64", "AES-256-GCM-base64-bytes", "AES-256-GCM-base64-as-written", "RC4-base64"},
        {"Tink", "AES-256-GCM-base64"},
        {"native-jni", "RC4-base64"},
        {"sealmark-java-pure", "token", "token-bytes"},
        {"sealmark-java", "token", "token-bytes"},
    };

    @TempDir
    private Path scratch;

    @Test
    void everyWayOpensWhatItSealedInItsOrder() throws Exception {
        for (Way way : ways()) {
            try (Records records = way.on("16-threads", BYTES)) {
                // The last value is shorter than the others, and some threads have more of them than others.
                byte[] values = new Recipe(8).value(77 * BYTES + 5);
                byte[] lines = run(records, "seal", values);
                assertEquals(78, texts(lines).size(), way::toString);
                assertArrayEquals(values, run(records, "open", lines), way::toString);
                assertArrayEquals(new byte[0], run(records, "open", new byte[0]), way::toString);
            }
        }
    }

    @Test
    void oneValueIsAnotherTextEachTimeUnlessNothingIsPromised() throws Exception {
        for (Way way : ways()) {
            try (Records records = way.on("256-threads", BYTES)) {
                byte[] values = "v".repeat(600 * BYTES).getBytes(StandardCharsets.US_ASCII);
                List<String> texts = texts(run(records, "seal", values));
                texts.addAll(texts(run(records, "seal", values)));
                int different = new HashSet<>(texts).size();
                assertEquals(records.way.authenticated ? 1200 : 1, different, way::toString);
            }
        }
    }

    @Test
    void whatAuthenticatesRefusesEveryAlterationOfEveryCharacter() throws Exception {
        for (Way way : ways()) {
            try (Records records = way.on("1-thread", 20)) {
                String text = texts(run(records, "seal", new Recipe(9).value(20))).get(0);
                // Some bits of the last digit may stand for nothing.
                int last = text.replace("=", "").length() - 1;
                for (int at = 0; at < last && records.way.authenticated; at++) {
                    refused(records, text.substring(0, at) + "\n");
                    char other = text.charAt(at) == 'A' ? 'Q' : 'A';
                    refused(records, text.substring(0, at) + other + text.substring(at + 1) + "\n");
                }
                for (String wrong : List.of(text, "\n", "====\n", "é\n", text + "\n\n", text + "A\n", text + "=\n")) {
                    // A way that promises nothing may open anything.
                    if (records.way.authenticated) {
                        refused(records, wrong);
                    }
                }
            }
        }
    }

    private void refused(Records records, String lines) {
        Exception error = assertThrows(Exception.class,
                () -> run(records, "open", lines.getBytes(StandardCharsets.UTF_8)), lines);
        assertEquals(Trouble.Kind.REFUSED, Trouble.of(error, true).kind, () -> lines + ": " + error);
    }

    @Test
    void aSpanEndsWithTheValueOnAnyNumberOfThreads() throws Exception {
        for (Way way : ways()) {
            for (String shape : List.of("1-thread", "16-threads")) {
                spans(way, shape);
            }
        }
        spans(new Way("SunJCE", "AES-256-GCM-base64"), "256-threads");
    }

    @Test
    void virtualThreadsDoTheSameWhereThereAreSome() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21);
        spans(new Way("SunJCE", "AES-256-GCM-base64-bytes"), "4096-virtual");
    }

    @Test
    void withoutVirtualThreadsTheyAreUnsupported() {
        assumeTrue(Runtime.version().feature() < 19);
        Trouble trouble = assertThrows(Trouble.class, () -> new RecordPool(4096, true));
        assertEquals(Trouble.Kind.UNSUPPORTED, trouble.kind);
    }

    private static void spans(Way way, String shape) throws Exception {
        try (Records records = way.on(shape, BYTES)) {
            for (long count : new long[] {1, 3, 1031}) {
                span(records, "seal", count);
                span(records, "open", count);
            }
        }
    }

    private static void span(Records records, String operation, long count) throws Exception {
        Map<String, Object> measured = new HashMap<>();
        byte[] value = records.time(operation, count, new Meter(), measured);
        assertArrayEquals(new Recipe(7).value(BYTES), value, operation);
        assertTrue((Long) measured.get("wall_ns") > 0, measured::toString);
        assertTrue((Long) measured.get("allocated_bytes") >= 0, measured::toString);
    }

    @Test
    void allocationIsThatOfAllThreads() throws Exception {
        for (String shape : List.of("1-thread", "16-threads")) {
            try (Records records = new Way("SunJCE", "AES-256-GCM-base64-as-written").on(shape, BYTES)) {
                Map<String, Object> measured = new HashMap<>();
                records.time("seal", 16_000, new Meter(), measured);
                long each = (Long) measured.get("allocated_bytes") / 16_000;
                assertTrue(each > 500 && each < 20_000, () -> shape + " " + each);
            }
        }
    }

    @Test
    void everyThreadDoesItsPartAndItsFailureIsTold() throws Exception {
        try (RecordPool pool = new RecordPool(7, false)) {
            int[] sums = new int[7];
            for (int round = 0; round < 3; round++) {
                pool.all(number -> sums[number] += number);
            }
            assertArrayEquals(new int[] {0, 3, 6, 9, 12, 15, 18}, sums);
            pool.first(2, number -> sums[number] = 100);
            assertArrayEquals(new int[] {100, 100, 6, 9, 12, 15, 18}, sums);
            Trouble trouble = assertThrows(Trouble.class, () -> pool.all(number -> {
                if (number == 5) {
                    throw Trouble.failed("five");
                }
            }));
            assertEquals("five", trouble.getMessage());
        }
    }

    @Test
    void closedCrewsLeaveNoThread() throws Exception {
        RecordPool pool = new RecordPool(3, false);
        pool.close();
        for (Thread thread : pool.threads()) {
            thread.join(10_000);
            assertTrue(!thread.isAlive(), thread::getName);
        }
        assertEquals(3, pool.threads().size());
    }

    @Test
    void theLabIsAnsweredAndBadNewsIsNotTheEnd() throws Exception {
        Path plain = Files.write(scratch.resolve("plain"), new Recipe(7).value(100));
        Path sealed = scratch.resolve("sealed");
        Path opened = scratch.resolve("opened");
        List<Map<String, Object>> answers = ConversationTest.talk("SunJCE",
                prepare("AES-256-GCM-base64", "2-threads"), run("seal", plain, sealed), run("open", sealed, opened),
                run("open", plain, opened), time("seal"), time("encode"), run("seal", scratch.resolve("absent"), opened),
                time("open"), prepare("RC4-base64", "1-thread"), prepare("token", "1-thread"),
                prepare("AES-256-GCM-base64", "tuned"), time("seal"));
        assertEquals(List.of("ready", "done", "done", "refused", "timed", "unsupported", "failed", "timed", "ready",
                "unsupported", "unsupported", "failed"), ConversationTest.kinds(answers), answers::toString);
        assertArrayEquals(Files.readAllBytes(plain), Files.readAllBytes(opened));
        assertEquals(true, answers.get(0).get("authenticated"));
        assertEquals(false, answers.get(8).get("authenticated"));
        assertEquals(5L, answers.get(4).get("count"));
    }

    private static String prepare(String algorithm, String shape) {
        return "{'ask':'prepare','job':'record','algorithm':'" + algorithm + "','threads':'" + shape
                + "','bytes':49,'seed':7,'directory':'/nowhere'}";
    }

    private static String run(String operation, Path input, Path output) {
        return "{'ask':'run','operation':'" + operation + "','input':'" + input + "','output':'" + output + "'}";
    }

    private static String time(String operation) {
        return "{'ask':'time','operation':'" + operation + "','first':1,'count':5}";
    }

    private byte[] run(Records records, String operation, byte[] data) throws Exception {
        Path input = Files.write(scratch.resolve("input"), data);
        Path output = scratch.resolve("output");
        records.run(operation, input, output);
        return Files.readAllBytes(output);
    }

    private static List<String> texts(byte[] lines) {
        return new ArrayList<>(List.of(new String(lines, StandardCharsets.US_ASCII).split("\n")));
    }

    private static List<Way> ways() {
        List<Way> ways = new ArrayList<>();
        for (String[] row : WAYS) {
            boolean missing = row[0].equals("native-jni") && !Support.nativeIsBuilt()
                    || row[0].equals("sealmark-java") && !isBuilt("sealmark.jni");
            for (int at = 1; at < row.length && !missing; at++) {
                ways.add(new Way(row[0], row[at]));
            }
        }
        return ways;
    }

    private static boolean isBuilt(String property) {
        return Files.isRegularFile(Path.of(System.getProperty(property, "")));
    }

    /** A library and what it makes. */
    private static final class Way {
        private final String library;
        private final String algorithm;

        Way(String library, String algorithm) {
            this.library = library;
            this.algorithm = algorithm;
        }

        Records on(String shape, int bytes) throws Exception {
            RecordJob job = new RecordJob(algorithm, shape, bytes, new Recipe(7));
            return new Records(job, Support.library(library).prepare(job));
        }

        @Override
        public String toString() {
            return library + " " + algorithm;
        }
    }
}
