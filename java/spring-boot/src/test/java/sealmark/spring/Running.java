package sealmark.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import sealmark.testing.SealmarkProgram;

/** An application in a JVM of its own, whose console is a file. */
final class Running {
    private static final Pattern PORT = Pattern.compile("(?:Tomcat|Jetty|Netty) started on port (\\d+)");
    private static final List<String> SERVERS = List.of("tomcat", "jetty", "netty");

    final Path folder;
    final Path console;
    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private int port;

    /** Starts {@code application.Shop} in a folder, on Tomcat. */
    Running(Path folder, String... properties) throws IOException {
        this("tomcat", folder, properties);
    }

    /** Starts it on one of {@link #SERVERS}: the others are not on its class path. */
    Running(String server, Path folder, String... properties) throws IOException {
        this.folder = folder;
        console = folder.resolve("console.log");
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", classPath(server)));
        Arrays.stream(properties).filter(property -> property.startsWith("-D")).forEach(command::add);
        command.add("application.Shop");
        Arrays.stream(properties).filter(property -> !property.startsWith("-D")).forEach(one -> command.add("--" + one));
        command.add("--server.port=0");
        command.add("--server.address=127.0.0.1");
        command.add("--spring.main.banner-mode=off");
        process = new ProcessBuilder(command).directory(folder.toFile())
                .redirectOutput(console.toFile()).redirectError(folder.resolve("errors.txt").toFile()).start();
    }

    private static String classPath(String server) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> SERVERS.stream().allMatch(one -> one.equals(server) || !names(entry, one)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** True for a jar of a server, or of Spring Boot for that server. */
    private static boolean names(String entry, String server) {
        return entry.endsWith(".jar") && Path.of(entry).getFileName().toString().contains(server);
    }

    /** Makes a key pair, key.txt and recipients.txt. */
    static void makeKeys(Path folder) throws Exception {
        SealmarkProgram.run(folder, "keygen", "--mode", "ecc", "-o", "key.txt");
        Files.write(folder.resolve("recipients.txt"), SealmarkProgram.run(folder, "keygen", "-y", "key.txt"));
    }

    /** Waits until it answers requests. */
    Running awaitStart() throws Exception {
        for (int wait = 0; wait < 600 && port == 0; wait++) {
            Matcher started = PORT.matcher(Files.readString(console));
            if (started.find()) {
                port = Integer.parseInt(started.group(1));
            } else {
                assertTrue(process.isAlive(), () -> "it ended: " + console() + errors());
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        assertTrue(port > 0, () -> "it does not start: " + console() + errors());
        return this;
    }

    /** Waits for another server in it, which answers from then on. */
    void awaitSecondServer() throws Exception {
        int first = port;
        for (int wait = 0; wait < 600 && port == first; wait++) {
            Matcher started = PORT.matcher(Files.readString(console));
            while (started.find()) {
                port = Integer.parseInt(started.group(1));
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        assertTrue(port != first, () -> "there is no second server: " + console());
    }

    String get(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("X-User", "hanako").build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    String console() {
        return read(console);
    }

    String errors() {
        return read(folder.resolve("errors.txt"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, UTF_8);
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    /** Waits until it has ended by itself, and returns its exit code. */
    int awaitEnd() throws InterruptedException {
        assertTrue(process.waitFor(1, TimeUnit.MINUTES), "it does not end");
        return process.exitValue();
    }

    /** Ends it in order, as a service manager does. */
    void end() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("it does not end: " + console());
        }
    }
}
