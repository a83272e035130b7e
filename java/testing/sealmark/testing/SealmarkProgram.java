package sealmark.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The program {@code sealmark}, the other implementation: opens what the tests of all modules seal. */
public final class SealmarkProgram {
    private static final Path PROGRAM = Path.of(System.getProperty("sealmark.program")).toAbsolutePath();

    private SealmarkProgram() {}

    /** Skips a test where nobody built the program. */
    public static void assumeBuilt() {
        assumeTrue(Files.isExecutable(PROGRAM), "no program: cargo build --release -p sealmark-cli");
    }

    /** Runs it in that folder and returns its standard output; it must end with exit code 0. */
    public static byte[] run(Path folder, String... arguments) throws IOException, InterruptedException {
        return run(folder, 0, arguments);
    }

    /** Runs it in that folder and returns its standard output; it must end with that exit code. */
    public static byte[] run(Path folder, int code, String... arguments) throws IOException, InterruptedException {
        assertTrue(Files.isExecutable(PROGRAM), "no program: cargo build --release -p sealmark-cli");
        List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile("sealmark", ".out");
        Path errors = Files.createTempFile("sealmark", ".err");
        try {
            Process process = new ProcessBuilder(command).directory(folder.toFile())
                    .redirectOutput(out.toFile()).redirectError(errors.toFile())
                    .redirectInput(Redirect.from(new File("/dev/null"))).start();
            boolean hasEnded = process.waitFor(120, TimeUnit.SECONDS);
            process.destroyForcibly();
            assertTrue(hasEnded, () -> "it does not end: " + command);
            byte[] output = Files.readAllBytes(out);
            String said = Files.readString(errors);
            assertEquals(code, process.exitValue(), () -> command + "\n" + said + new String(output, UTF_8));
            return output;
        } finally {
            Files.delete(out);
            Files.delete(errors);
        }
    }
}
