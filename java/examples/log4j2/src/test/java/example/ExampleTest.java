package example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of README.md. */
class ExampleTest {
    @TempDir
    Path folder;

    @Test
    void itsLogsOpenAndAreAuthentic() throws IOException, InterruptedException {
        sealmark("keygen", "-o", "key.txt");
        Files.writeString(folder.resolve("recipients.txt"), sealmark("keygen", "-y", "key.txt"));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        assertEquals("", run(List.of(java, "-cp", System.getProperty("java.class.path"), Main.class.getName())));

        for (String name : List.of("app.log", "app.json")) {
            String log = Files.readString(folder.resolve(name), UTF_8);
            for (String secret : List.of("hanako", "4111")) {
                assertFalse(log.contains(secret), log);
            }
        }
        List<String> text = sealmark("log", "open", "-i", "key.txt", "app.log").lines().toList();
        assertTrue(text.get(0).endsWith(" INFO user= login, email=hanako@example.com "), text.get(0));
        assertTrue(text.get(1).contains(" INFO user=hanako amount=\"1980\" "), text.get(1));
        assertTrue(text.get(1).endsWith(" card=\"4111 1111 1111 1111\" "), text.get(1));
        assertTrue(text.get(2).contains(" WARN user=hanako refused "), text.get(2));
        assertTrue(text.get(2).endsWith(".IllegalArgumentException: no such card: 4111 1111 1111 1112"), text.get(2));
        assertEquals("""
                {"level":"INFO","message":"login, email=hanako@example.com"}
                {"level":"INFO","user":"hanako","message":{"amount":"1980","card":"4111 1111 1111 1111"}}
                {"level":"WARN","user":"hanako","message":"refused","why":"no such card: 4111 1111 1111 1112"}
                """, sealmark("log", "open", "-i", "key.txt", "app.json"));
        // The values of one session are in one log, or in both.
        for (String name : List.of("app.log", "app.json")) {
            assertTrue(sealmark("log", "verify", "-i", "key.txt", "--closed", name).contains("2 sessions, "));
        }
    }

    private String sealmark(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(words));
        command.add(0, Path.of(System.getProperty("sealmark.program")).toAbsolutePath().toString());
        return run(command);
    }

    private String run(List<String> command) throws IOException, InterruptedException {
        Path errors = Files.createTempFile(folder, "errors", ".txt");
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectError(errors.toFile()).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertTrue(process.waitFor(1, TimeUnit.MINUTES));
        assertEquals(0, process.exitValue(), () -> command + "\n" + output + text(errors));
        assertEquals("", text(errors).lines().filter(line -> line.contains("ERROR")).findFirst().orElse(""));
        return output;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, UTF_8);
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }
}
