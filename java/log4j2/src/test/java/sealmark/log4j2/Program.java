package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The program {@code sealmark} with a key of its own: opens what the tests write. */
final class Program {
    private static final Path PROGRAM = Path.of(System.getProperty("sealmark.program"));

    final Path key;
    final String recipient;
    private final Path folder;

    /** Makes a key in a folder. */
    Program(Path folder) throws Exception {
        assertTrue(Files.isExecutable(PROGRAM), "no program: cargo build --release -p sealmark-cli");
        this.folder = folder;
        key = folder.resolve("key.txt");
        run(0, List.of("keygen", "--mode", "ecc", "-o", key.toString()));
        recipient = run(0, List.of("keygen", "-y", key.toString())).strip();
    }

    /** The log as it was meant; all tokens open. */
    String open(Path... logs) throws Exception {
        return open(List.of(logs));
    }

    /** As before, the oldest first. */
    String open(List<Path> logs) throws Exception {
        return run(0, arguments("open", logs));
    }

    /** Each session is closed, and all its values are there. */
    String verify(Path... logs) throws Exception {
        return verify(List.of(logs));
    }

    /** As before, the oldest first. */
    String verify(List<Path> logs) throws Exception {
        List<String> arguments = arguments("verify", logs);
        arguments.addAll(2, List.of("--closed", "--any-label"));
        return run(0, arguments);
    }

    /** Makes a key that writers and readers share. */
    Path sharedKey() throws Exception {
        Path shared = folder.resolve("shared.txt");
        run(0, List.of("keygen", "--mode", "psk", "-o", shared.toString()));
        return shared;
    }

    /** As {@link #open}, with a shared key. */
    String openShared(Path shared, Path log) throws Exception {
        return run(0, List.of("log", "open", "--psk", shared.toString(), log.toString()));
    }

    private List<String> arguments(String verb, List<Path> logs) {
        List<String> arguments = new ArrayList<>(List.of("log", verb, "-i", key.toString()));
        logs.forEach(log -> arguments.add(log.toString()));
        return arguments;
    }

    private String run(int exit, List<String> arguments) throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "out", "");
        Path errors = Files.createTempFile(folder, "err", "");
        List<String> command = new ArrayList<>(arguments);
        command.add(0, PROGRAM.toString());
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile()).redirectError(errors.toFile()).start();
        process.getOutputStream().close();
        boolean hasEnded = process.waitFor(120, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertTrue(hasEnded, "the program does not end");
        assertEquals(exit, process.exitValue(), () -> command + "\n" + text(out) + text(errors));
        return text(out);
    }

    /** All of a file. */
    static String text(Path file) {
        try {
            return Files.readString(file, UTF_8);
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }
}
