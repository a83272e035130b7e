package sealmark.wss;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine that each setting gives, in a process. {@code sealmark-log} has an equal class and tests more cases. */
final class NativeLibraryTest {
    private static final Path BUILT = Paths.get(System.getProperty("sealmark.jni"));

    @TempDir
    Path folder;

    private Path temporary;

    /** Says which engine it has, and what lies in its temporary folder. */
    static final class WhichEngine {
        private WhichEngine() {}

        public static void main(String[] arguments) {
            try {
                System.out.println(SealmarkProvider.isNative() ? "native" : "java");
            } catch (IllegalStateException error) {
                System.out.println(error.getMessage());
            }
            System.out.println(Arrays.toString(new File(System.getProperty("java.io.tmpdir")).list()));
        }
    }

    @BeforeEach
    void libraryIsBuilt() throws Exception {
        assumeTrue(Files.exists(BUILT), "no native library was built");
        temporary = Files.createDirectory(folder.resolve("tmp"));
    }

    @Test
    void theLibraryOfTheJarOrANamedOneIsUsedAndLeavesNoFile() throws Exception {
        for (String named : new String[] {"", BUILT.toString(), folder.toString()}) {
            assertEquals(Arrays.asList("native", "[]"), engineWith(named), named);
        }
    }

    @Test
    void itCanBeSwitchedOff() throws Exception {
        assertEquals(Arrays.asList("java", "[]"), engineWith("off"));
    }

    @Test
    void aLibraryThatIsNamedAndNotThereIsAnError() throws Exception {
        Path missing = folder.resolve("none.so");
        assertEquals(Arrays.asList("no native library: " + missing
                + ": correct the system property sealmark.wss.native, or set it to off", "[]"), engineWith(missing.toString()));
    }

    @Test
    void withoutATemporaryFolderJavaDoesTheWork() throws Exception {
        Files.delete(temporary);
        assertEquals(Arrays.asList("java", "null"), engineWith(""));
    }

    private List<String> engineWith(String named) throws Exception {
        List<String> command = new ArrayList<>(Arrays.asList(
                Paths.get(System.getProperty("java.home"), "bin", "java").toString(), "-Djava.io.tmpdir=" + temporary, "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        if (!named.isEmpty()) {
            command.add("-Dsealmark.wss.native=" + named);
        }
        command.add(WhichEngine.class.getName());
        Path out = folder.resolve("out.txt");
        Process process = new ProcessBuilder(command).redirectOutput(out.toFile())
                .redirectError(folder.resolve("err.txt").toFile()).start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), () -> "it does not end: " + command);
        assertEquals(0, process.exitValue(), () -> command.toString());
        return Files.readAllLines(out, UTF_8);
    }
}
