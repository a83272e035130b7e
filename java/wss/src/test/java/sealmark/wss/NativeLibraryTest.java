package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The file that the native library is loaded from. */
final class NativeLibraryTest {
    @TempDir
    Path folder;

    /** Loads the library that its argument names, in a process of its own. */
    static final class Loading {
        private Loading() {}

        public static void main(String[] arguments) {
            System.exit(NativeLibrary.load(arguments[0]) ? 0 : 7);
        }
    }

    /** Another user who could write to it before it is loaded would run code here. */
    @Test
    @Timeout(60)
    void nobodyElseMayWriteTheCopyWhateverTheUmask() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        // A pipe, so that the process waits for the rest of the library amid its copy.
        Path library = folder.resolve("library");
        assumeTrue(new ProcessBuilder("mkfifo", library.toString()).start().waitFor() == 0, "no pipes");
        Process loading = new ProcessBuilder("sh", "-c", "umask 0; exec \"$@\"", "sh",
                Paths.get(System.getProperty("java.home"), "bin", "java").toString(), "-Djava.io.tmpdir=" + temporary, "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")), Loading.class.getName(),
                library.toString()).inheritIO().start();
        try (OutputStream out = Files.newOutputStream(library)) {
            out.write(new byte[100]);
            out.flush();
            Path copy = copy(temporary);
            while (Files.size(copy) == 0) {
                Thread.sleep(5);
            }
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)));
        }
        assertTrue(loading.waitFor(50, TimeUnit.SECONDS));
        assertEquals(7, loading.exitValue(), "zeros are no library");
        assertEquals(0, temporary.toFile().list().length);
    }

    /** The only file of the library's name, as soon as it is there. */
    private static Path copy(Path directory) throws IOException, InterruptedException {
        while (true) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "sealmark-*")) {
                for (Path file : files) {
                    return file;
                }
            }
            Thread.sleep(5);
        }
    }
}
