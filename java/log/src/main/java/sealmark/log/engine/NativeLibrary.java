package sealmark.log.engine;

import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The library {@code sealmark_jni}: from the path in the system property {@code sealmark.log.native}, else out of the jar.
 * It is loaded once, when it is asked for first; where that fails, whatever the reason, there is none.
 */
public final class NativeLibrary {
    /** A path, or {@code off}. */
    private static final String PROPERTY = "sealmark.log.native";
    private static final String FILE = System.mapLibraryName("sealmark_jni");

    /** How such a file begins in the order of this machine: 0x7f, ELF; and the bytes of the 64-bit header. */
    private static final int ELF =
            ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? 0x7f454c46 : Integer.reverseBytes(0x7f454c46);
    private static final int ELF_HEADER = 64;

    private NativeLibrary() {}

    /** Why there is none, in one line; empty where it is loaded. */
    public static Optional<String> missing() {
        return Once.MISSING;
    }

    private static final class Once {
        static final Optional<String> MISSING = uninterrupted();
    }

    /** Channels are closed under a thread that is interrupted, and it would have spoken for all. */
    private static Optional<String> uninterrupted() {
        boolean wasInterrupted = Thread.interrupted();
        try {
            return load();
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Optional<String> load() {
        String named = System.getProperty(PROPERTY, "");
        try {
            if (named.equals("off")) {
                return Optional.of("the native library was switched off by -D" + PROPERTY + "=off");
            }
            if (named.isEmpty()) {
                loadOutOfJar();
            } else {
                loadFile(Path.of(named).toAbsolutePath());
            }
            return problemOf(NativeCalls.version());
        } catch (IOException | RuntimeException | LinkageError error) {
            return Optional.of("no native library: " + reason(error));
        }
    }

    private static void loadOutOfJar() throws IOException {
        String resource = "/META-INF/native/" + platform() + "/" + FILE;
        try (InputStream bytes = NativeLibrary.class.getResourceAsStream(resource)) {
            if (bytes == null) {
                throw new IOException("the jar has no native library for the platform " + platform());
            }
            loadCopy(bytes);
        }
    }

    private static void loadFile(Path file) throws IOException {
        try {
            load(file);
        } catch (UnsatisfiedLinkError error) {
            if (!Files.isRegularFile(file)) {
                throw error;
            }
            // A JVM loads one file for one class loader only.
            try (InputStream bytes = Files.newInputStream(file)) {
                loadCopy(bytes);
            }
        }
    }

    /** The file is written by this user alone, whatever the umask, and goes as soon as it is mapped. */
    private static void loadCopy(InputStream bytes) throws IOException {
        Path copy = Files.createTempFile("sealmark-", FILE);
        try {
            // Into the file that was made: one made anew would have other permissions.
            try (OutputStream out = Files.newOutputStream(copy, WRITE, TRUNCATE_EXISTING)) {
                bytes.transferTo(out);
            }
            load(copy);
        } finally {
            deleteIfPossible(copy);
        }
    }

    /** A library that was loaded works without its file. */
    private static void deleteIfPossible(Path copy) {
        try {
            Files.deleteIfExists(copy);
        } catch (IOException error) {
            copy.toFile().deleteOnExit();
        }
    }

    /** A file that was cut off would end the process when it is mapped. */
    private static void load(Path file) throws IOException {
        try (InputStream bytes = Files.newInputStream(file)) {
            byte[] header = Arrays.copyOf(bytes.readNBytes(ELF_HEADER), ELF_HEADER);
            ByteBuffer start = ByteBuffer.wrap(header).order(ByteOrder.nativeOrder());
            if (start.getInt(0) == ELF && elfEnd(start) > Files.size(file)) {
                throw new IOException("\"" + file + "\" is truncated");
            }
        }
        System.load(file.toString());
    }

    /** Behind the table of sections, which is the last in a file. */
    private static long elfEnd(ByteBuffer header) {
        return header.getLong(40) + (long) header.getShort(58) * header.getShort(60);
    }

    private static Optional<String> problemOf(String version) {
        return version.equals(NativeCalls.VERSION) ? Optional.empty()
                : Optional.of("the native library has version \"" + version + "\", and the jar needs \"" + NativeCalls.VERSION + "\"");
    }

    /** Such as {@code linux-x86_64}. */
    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return (system.startsWith("mac") ? "macos" : system) + "-" + (machine.equals("amd64") ? "x86_64" : machine);
    }

    private static String reason(Throwable error) {
        String message = String.valueOf(error.getMessage());
        return message.lines().findFirst().orElse(error.getClass().getSimpleName());
    }
}
