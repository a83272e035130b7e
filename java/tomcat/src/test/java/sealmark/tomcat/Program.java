package sealmark.tomcat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The program that opens what the valves wrote, with a key pair of its own. */
final class Program {
    private static final String PROGRAM = System.getProperty("sealmark.program");

    private final Path folder;
    final Path identity;
    final Path recipients;

    Program(Path folder) throws Exception {
        this.folder = folder;
        identity = folder.resolve("ops.key");
        recipients = folder.resolve("ops.pub");
        run("keygen", "--mode", "ecc", "-o", identity.toString());
        Files.write(recipients, run("keygen", "-y", identity.toString()));
    }

    String recipient() throws IOException {
        List<String> keys = new ArrayList<>(Files.readAllLines(recipients));
        keys.removeIf(line -> line.isEmpty() || line.startsWith("#"));
        return keys.get(0);
    }

    byte[] open(Path log) throws Exception {
        return run("log", "open", "-i", identity.toString(), log.toString());
    }

    String openText(Path log) throws Exception {
        return new String(open(log), UTF_8);
    }

    String verify(Path log) throws Exception {
        return new String(run("log", "verify", "-i", identity.toString(), log.toString()), UTF_8);
    }

    byte[] run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(PROGRAM));
        command.addAll(List.of(arguments));
        Path errors = Files.createTempFile(folder, "program", ".err");
        Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        process.getOutputStream().close();
        byte[] output;
        try (InputStream stream = process.getInputStream()) {
            output = stream.readAllBytes();
        }
        process.waitFor(60, TimeUnit.SECONDS);
        assertEquals(0, process.exitValue(), () -> command + ": " + text(errors) + new String(output, UTF_8));
        return output;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException error) {
            return error.toString();
        }
    }
}
