package example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExampleTest {
    @TempDir
    Path folder;

    @Test
    void itsLogOpensAndIsWhole() throws IOException, InterruptedException {
        sealmark("keygen", "-o", "key.txt");
        Files.writeString(folder.resolve("recipients.txt"), sealmark("keygen", "-y", "key.txt"));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        assertEquals("", run(java, "-cp", System.getProperty("java.class.path"), Main.class.getName()));

        String log = Files.readString(folder.resolve("app.log"), UTF_8);
        for (String secret : List.of("hanako", "4111")) {
            assertFalse(log.contains(secret), log);
        }
        sealmark("log", "verify", "-i", "key.txt", "--closed", "app.log");
        List<String> opened = sealmark("log", "open", "-i", "key.txt", "app.log").lines().toList();
        assertTrue(opened.get(0).endsWith(" INFO  user=- login, email=hanako@example.com "), opened.get(0));
        String paid = " INFO  user=hanako paid card=4111 1111 1111 1111 amount=1980";
        assertTrue(opened.get(1).endsWith(paid), opened.get(1));
        assertTrue(opened.get(2).endsWith(" WARN  user=hanako refused "), opened.get(2));
        assertEquals("java.lang.IllegalArgumentException: no such card: 4111 1111 1111 1112", opened.get(3));
    }

    private String sealmark(String... words) throws IOException, InterruptedException {
        String[] command = new String[words.length + 1];
        command[0] = Path.of(System.getProperty("sealmark.program")).toAbsolutePath().toString();
        System.arraycopy(words, 0, command, 1, words.length);
        return run(command);
    }

    private String run(String... command) throws IOException, InterruptedException {
        Path errors = Files.createTempFile("example", ".txt");
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertTrue(process.waitFor(1, TimeUnit.MINUTES));
        String said = Files.readString(errors, UTF_8);
        Files.delete(errors);
        assertEquals(0, process.exitValue(), () -> String.join(" ", command) + "\n" + said + output);
        return output;
    }
}
