package example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExampleTest {
    private static final String TARGET = "orders?email=hanako@example.com&page=2";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void theEmbeddedServersLogOpensAndIsWhole() throws Exception {
        makeKeys("recipients.txt");
        Process server = java("example.Main", folder.toString(), "0");
        try (BufferedReader output = server.inputReader(UTF_8)) {
            String url = output.readLine();
            assertEquals(200, ask(url + TARGET));
            // On the same connection, so the first request is in the log by then.
            assertEquals(200, ask(url));
        }
        stop(server);
        String line = opened();
        assertTrue(line.startsWith("127.0.0.1 [") && line.contains("] \"GET /" + TARGET + " HTTP/1.1\" 200 6 "), line);
        assertTrue(line.endsWith("\"Bearer hanako\""), line);
    }

    /** The first line opened; the log is whole, and had no value in clear before. */
    private String opened() throws Exception {
        String log = Files.readString(folder.resolve("access.log"));
        assertFalse(log.contains("hanako") || log.contains("127.0.0.1") || log.contains("page=2"), log);
        assertTrue(log.contains("GET /orders?email=~s1a~email~"), () -> log + console());
        sealmark("log", "verify", "-i", "key.txt", "--closed", "access.log");
        return sealmark("log", "open", "-i", "key.txt", "access.log").lines().findFirst().orElseThrow();
    }

    private void makeKeys(String recipients) throws Exception {
        sealmark("keygen", "-o", "key.txt");
        Files.writeString(folder.resolve(recipients), sealmark("keygen", "-y", "key.txt"));
    }

    private int ask(String url) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).timeout(PATIENCE)
                .header("Authorization", "Bearer hanako").version(HttpClient.Version.HTTP_1_1).build();
        return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    private Process java(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).directory(folder.toFile())
                .redirectError(folder.resolve("console.txt").toFile()).start();
    }

    private void stop(Process server) throws Exception {
        server.destroy();
        assertTrue(server.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertFalse(console().contains("hanako"), this::console);
    }

    private String console() {
        try {
            return Files.readString(folder.resolve("console.txt"));
        } catch (IOException error) {
            return error.toString();
        }
    }

    private String sealmark(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(words));
        command.add(0, Path.of(System.getProperty("sealmark.program")).toAbsolutePath().toString());
        Path errors = Files.createTempFile(folder, "program", ".err");
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertTrue(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        String said = Files.readString(errors);
        assertEquals(0, process.exitValue(), () -> command + "\n" + said + output);
        return output;
    }
}
