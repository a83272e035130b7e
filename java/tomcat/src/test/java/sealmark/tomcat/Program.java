package sealmark.tomcat;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import sealmark.testing.SealmarkProgram;

/** The program that opens what the valves wrote, with a key pair of its own. */
final class Program {
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
        // Line breaks in values come as they were logged, to be compared with a log in clear.
        return run("log", "open", "--raw", "-i", identity.toString(), log.toString());
    }

    String openText(Path log) throws Exception {
        return new String(open(log), UTF_8);
    }

    String verify(Path log) throws Exception {
        return new String(run("log", "verify", "-i", identity.toString(), log.toString()), UTF_8);
    }

    byte[] run(String... arguments) throws Exception {
        return SealmarkProgram.run(folder, arguments);
    }
}
