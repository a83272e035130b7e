package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import sealmark.testing.SealmarkProgram;

/** The program {@code sealmark} with a key of its own: opens what the tests write. */
final class Program {
    final Path key;
    final String recipient;
    private final Path folder;

    /** Makes a key in a folder. */
    Program(Path folder) throws Exception {
        this.folder = folder;
        key = folder.resolve("key.txt");
        run("keygen", "--mode", "ecc", "-o", key.toString());
        recipient = run("keygen", "-y", key.toString()).strip();
    }

    /** The log as it was meant; all tokens open. */
    String open(Path... logs) throws Exception {
        return open(List.of(logs));
    }

    /** As before, the oldest first. */
    String open(List<Path> logs) throws Exception {
        // Line breaks in values come as they were logged, to be compared with a log in clear.
        List<String> arguments = arguments("open", logs);
        arguments.add(2, "--raw");
        return run(arguments.toArray(String[]::new));
    }

    /** Each session is closed, and all its values are there. */
    String verify(Path... logs) throws Exception {
        return verify(List.of(logs));
    }

    /** As before, the oldest first. */
    String verify(List<Path> logs) throws Exception {
        List<String> arguments = arguments("verify", logs);
        arguments.addAll(2, List.of("--closed", "--any-label"));
        return run(arguments.toArray(String[]::new));
    }

    /** Makes a key that writers and readers share. */
    Path sharedKey() throws Exception {
        Path shared = folder.resolve("shared.txt");
        run("keygen", "--mode", "psk", "-o", shared.toString());
        return shared;
    }

    /** Opens with a shared key, as {@link #open} does. */
    String openShared(Path shared, Path log) throws Exception {
        return run("log", "open", "--psk", shared.toString(), log.toString());
    }

    private List<String> arguments(String verb, List<Path> logs) {
        List<String> arguments = new ArrayList<>(List.of("log", verb, "-i", key.toString()));
        logs.forEach(log -> arguments.add(log.toString()));
        return arguments;
    }

    private String run(String... arguments) throws Exception {
        return new String(SealmarkProgram.run(folder, arguments), UTF_8);
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
