package sealmark.receivers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sealmark.log.reader.LogOpener;
import sealmark.testing.SealmarkProgram;

/** The lines that a receiver has stored, each of them a record or a batch, and what becomes of them on a bad day. */
final class Received {
    /** The mark of a value that must be in no stored line. */
    static final String SECRET = "hanako-";

    private static final Pattern TOKEN = Pattern.compile("~s1[apjq]~[^~]+~([^~]{16})~");
    private static final Pattern VALUE = Pattern.compile(SECRET + "\\d+");

    private final Path folder;
    private final List<String> lines;

    Received(Path folder, List<String> lines) {
        this.folder = folder;
        this.lines = List.copyOf(lines);
    }

    /** Makes a hybrid key, whose header has two parts. */
    static void makeKeys(Path folder) throws IOException, InterruptedException {
        SealmarkProgram.run(folder, "keygen", "-o", "key.txt");
        Files.write(folder.resolve("recipients.txt"), SealmarkProgram.run(folder, "keygen", "-y", "key.txt"));
    }

    /** Each value is in some line, and opens. */
    void assertAll(int values, int sessionsAtLeast) throws Exception {
        lines.forEach(line -> assertFalse(line.contains(SECRET), () -> "a value was stored in the clear: " + line));
        assertTrue(sessions().size() >= sessionsAtLeast, () -> sessions().size() + " sessions");
        String opened = open();
        for (int number = 0; number < values; number++) {
            assertTrue(opened.contains(SECRET + number + "."), SECRET + number);
        }
        assertOtherReaders(opened);
    }

    /**
     * Loses a tenth of the lines at random, repeats a tenth, and mixes their order. All values of the others open, whatever
     * became of their headers.
     */
    void assertNoSessionIsLost() throws Exception {
        for (int seed = 1; seed <= 5; seed++) {
            Received rest = damaged(new Random(seed));
            long tokens = TOKEN.matcher(String.join("\n", rest.lines)).results().count();
            String opened = rest.open();
            assertEquals(tokens, VALUE.matcher(opened).results().count(), "seed " + seed);
            rest.assertOtherReaders(opened);
        }
    }

    private Received damaged(Random random) {
        List<String> rest = new ArrayList<>();
        for (String line : lines) {
            if (random.nextInt(10) > 0) {
                rest.add(line);
            }
            if (random.nextInt(10) == 0) {
                rest.add(line);
            }
        }
        Collections.shuffle(rest, random);
        assertTrue(rest.size() > lines.size() / 2, "too few are left");
        return new Received(folder, rest);
    }

    private Set<String> sessions() {
        Set<String> sessions = new HashSet<>();
        for (Matcher token = TOKEN.matcher(String.join("\n", lines)); token.find();) {
            sessions.add(token.group(1));
        }
        return sessions;
    }

    /** Exit code 0: no token was left. */
    private String open() throws IOException, InterruptedException {
        Files.write(folder.resolve("received.log"), lines);
        return new String(SealmarkProgram.run(folder, "log", "open", "-i", "key.txt", "received.log"), UTF_8);
    }

    private void assertOtherReaders(String opened) throws Exception {
        byte[] log = (String.join("\n", lines) + "\n").getBytes(UTF_8);
        try (LogOpener opener = LogOpener.builder().identitiesFile(folder.resolve("key.txt")).build()) {
            assertTrue(opened.equals(new String(opener.open(log), UTF_8)), "Java opens it otherwise");
        }
        try (LogOpener opener = LogOpener.builder().identitiesFile(folder.resolve("key.txt")).build()) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            opener.open(new ByteArrayInputStream(log), out);
            assertTrue(opened.equals(out.toString(UTF_8)), "Java opens it otherwise as a stream");
        }
    }
}
