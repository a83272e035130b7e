package sealmark.log;

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

/** The program of the other implementation. */
public final class Program {
    private static final Path PROGRAM = Path.of(System.getProperty("sealmark.program"));

    private Program() {}

    /** Skips a test where nobody built the program. */
    public static void assumeBuilt() {
        assumeTrue(Files.isExecutable(PROGRAM), "no program: cargo build --release -p sealmark-cli");
    }

    /** What it writes to its standard output; it must end well. */
    public static byte[] run(Path folder, String... arguments) throws IOException, InterruptedException {
        return run(folder, 0, arguments);
    }

    /** What it writes to its standard output; it must end with that code. */
    public static byte[] run(Path folder, int code, String... arguments) throws IOException, InterruptedException {
        Path out = folder.resolve("program.out");
        Path errors = folder.resolve("program.err");
        List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(errors.toFile())
                .redirectInput(Redirect.from(new File("/dev/null"))).start();
        boolean hasEnded = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertTrue(hasEnded, () -> "it does not end: " + command);
        assertEquals(code, process.exitValue(), Files.readString(errors));
        return Files.readAllBytes(out);
    }
}
