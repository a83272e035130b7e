package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class OutputTest {
    private static final byte[] SECRET = "a secret key\n".getBytes(US_ASCII);

    private final Fault exists = Fault.usage("it exists", "choose another name");

    @TempDir
    Path folder;

    @Test
    void aPrivateFileIsItsOwnersAndIsNeverReplaced() throws Exception {
        Path file = folder.resolve("key.txt");
        Output.writePrivate(file, SECRET, exists);
        assertEquals("a secret key\n", Files.readString(file));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals(exists, assertThrows(Fault.class, () -> Output.writePrivate(file, new byte[] {'x'}, exists)));
        assertEquals("a secret key\n", Files.readString(file));
    }

    /** Another thread replaces the file with a link as soon as it is there, many times: it must win once to be seen. */
    @Test
    void theSecretGoesIntoTheFileThatWasMade() throws Exception {
        Path file = folder.resolve("key.txt");
        Path other = Files.createFile(folder.resolve("other.txt"));
        for (int attempt = 0; attempt < 200; attempt++) {
            Path link = Files.createSymbolicLink(folder.resolve("link"), other);
            AtomicBoolean isOver = new AtomicBoolean();
            CompletableFuture<Void> attacker = CompletableFuture.runAsync(() -> replace(file, link, isOver));
            Output.writePrivate(file, SECRET, exists);
            isOver.set(true);
            attacker.get();
            assertEquals(0, Files.size(other), "the secret is in another file");
            Files.delete(file);
            Files.deleteIfExists(link);
        }
        assertFalse(Files.exists(file));
    }

    private static void replace(Path file, Path link, AtomicBoolean isOver) {
        while (!isOver.get()) {
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                try {
                    Files.move(link, file, StandardCopyOption.ATOMIC_MOVE);
                } catch (IOException error) {
                    throw new UncheckedIOException(error);
                }
                return;
            }
        }
    }

    @Test
    void aNameThatIsNoneIsAnErrorWithAHint() {
        Fault fault = assertThrows(Fault.class, () -> Arguments.path("a\0b"));
        assertEquals(Exit.USAGE, fault.exit());
        assertEquals("\"a\\u{0}b\" is not a file name here: the locale cannot encode a character of it", fault.lines().get(0));
    }
}
