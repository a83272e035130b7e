package sealmark.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The program that opens what servers wrote, with a key pair of its own. */
public final class LogProgram {
    private static final Pattern TIME = Pattern.compile("\\[\\d\\d/\\w+/\\d{4}:[\\d:]+ [+-]\\d{4}\\]");

    private final Path folder;
    /** The file of the secret key. */
    public final Path identity;
    /** The file of the public key. */
    public final Path recipients;

    /** Makes the keys in a folder. */
    public LogProgram(Path folder) throws Exception {
        this.folder = folder;
        identity = folder.resolve("ops.key");
        recipients = folder.resolve("ops.pub");
        run("keygen", "--mode", "ecc", "-o", identity.toString());
        Files.write(recipients, run("keygen", "-y", identity.toString()));
    }

    /** The public key. */
    public String recipient() throws IOException {
        List<String> keys = new ArrayList<>(Files.readAllLines(recipients));
        keys.removeIf(line -> line.isEmpty() || line.startsWith("#"));
        return keys.get(0);
    }

    /** The opened log. */
    public byte[] open(Path log) throws Exception {
        // Line breaks in values come as they were logged, to be compared with a log in clear.
        return run("log", "open", "--raw", "-i", identity.toString(), log.toString());
    }

    /** The opened log as text. */
    public String openText(Path log) throws Exception {
        return new String(open(log), UTF_8);
    }

    /**
     * Asserts that opened lines are those of a twin, in any order and whatever their times: servers log a request when its
     * client has the answer, and some ask for the time then, for each log anew.
     */
    public static void assertSameLines(String twin, String opened) {
        List<String> expected = new ArrayList<>(TIME.matcher(twin).replaceAll("[time]").lines().toList());
        List<String> more = new ArrayList<>(TIME.matcher(opened).replaceAll("[time]").lines().toList());
        for (String line : List.copyOf(more)) {
            if (expected.remove(line)) {
                more.remove(line);
            }
        }
        assertEquals(expected.stream().findFirst(), more.stream().findFirst());
    }

    /** Asserts that a log is complete and was ended in order. */
    public void verifyClosed(Path... logs) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("log", "verify", "-i", identity.toString(), "--closed"));
        for (Path log : logs) {
            arguments.add(log.toString());
        }
        run(arguments.toArray(String[]::new));
    }

    /** Verifies a log alone, and says what the program says. */
    public String verify(Path log) throws Exception {
        return new String(run("log", "verify", "-i", identity.toString(), log.toString()), UTF_8);
    }

    /** The output of the program. */
    public byte[] run(String... arguments) throws Exception {
        return SealmarkProgram.run(folder, arguments);
    }
}
