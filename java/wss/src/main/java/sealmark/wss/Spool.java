package sealmark.wss;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** Copies a stream of ciphertext to a file that no other process finds and that is gone after any end of this one. */
final class Spool {
    /** A payload that AES-GCM can encrypt has no more bytes. */
    static final long LONGEST = Gcm.IV + Gcm.MAX_PLAINTEXT + Gcm.TAG;
    private static final int BUFFER = 64 * 1024;
    private static final Set<OpenOption> OPTIONS = new HashSet<>(Arrays.asList(CREATE_NEW, READ, WRITE, DELETE_ON_CLOSE));

    private Spool() {}

    static Path defaultDirectory() {
        return Paths.get(System.getProperty("java.io.tmpdir"));
    }

    /** A channel at the beginning of a copy of {@code from}, which is closed in any case. */
    static FileChannel copy(InputStream from, Path directory) throws IOException {
        return copy(from, directory, LONGEST);
    }

    /** A stream without end must not fill the disk. The limit is {@link #LONGEST} at most. */
    static FileChannel copy(InputStream from, Path directory, long limit) throws IOException {
        try (InputStream in = from) {
            FileChannel file = create(directory);
            try {
                byte[] buffer = new byte[BUFFER];
                long left = limit;
                for (int bytes = in.read(buffer); bytes >= 0; bytes = in.read(buffer)) {
                    left -= bytes;
                    if (left < 0) {
                        throw new IOException("the payload is longer than " + (limit == LONGEST
                                ? "AES-GCM allows, which is " + limit + " bytes"
                                : limit + " bytes, the limit that this receiver has set with spoolAtMost"));
                    }
                    write(file, ByteBuffer.wrap(buffer, 0, bytes));
                }
                file.position(0);
                return file;
            } catch (ClosedByInterruptException error) {
                IOException explained = Payload.interrupted(error);
                Payload.closeAfter(explained, file);
                throw explained;
            } catch (IOException | RuntimeException | Error error) {
                Payload.closeAfter(error, file);
                throw error;
            }
        }
    }

    /** Unix removes the name as soon as the file is open, and Windows the file when its last handle is closed. */
    private static FileChannel create(Path directory) throws IOException {
        Path name = directory.resolve("sealmark-" + UUID.randomUUID() + ".spool");
        return FileChannel.open(name, OPTIONS, ownerOnly(name));
    }

    private static FileAttribute<?>[] ownerOnly(Path name) {
        boolean isPosix = name.getFileSystem().supportedFileAttributeViews().contains("posix");
        return isPosix ? new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        } : new FileAttribute<?>[0];
    }

    private static void write(FileChannel file, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }
}
