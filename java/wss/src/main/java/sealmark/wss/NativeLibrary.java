package sealmark.wss;

import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;

/**
 * The library {@code sealmark_jni}: from the path in the system property {@code sealmark.wss.native}, else out of the jar. If
 * that of the jar cannot be loaded, whatever the reason, the engine in Java does the work; a path that fails is an error.
 */
final class NativeLibrary {
    /** A path, or {@code off}. */
    private static final String PROPERTY = "sealmark.wss.native";
    private static final int BUFFER = 1 << 16;
    private static final String FILE = System.mapLibraryName("sealmark_jni");

    private NativeLibrary() {}

    static boolean isLoaded() {
        if (Once.FAILURE != null) {
            throw new IllegalStateException(Once.FAILURE);
        }
        return Once.IS_LOADED;
    }

    private static final class Once {
        static final String NAMED = System.getProperty(PROPERTY, "");
        static final boolean IS_LOADED = load(NAMED);
        static final String FAILURE = failure(NAMED, IS_LOADED);
    }

    /** Null if the library is there, or nobody has named one. */
    static String failure(String named, boolean isLoaded) {
        return isLoaded || named.isEmpty() || named.equals("off") ? null
                : "the native library " + named + " cannot be loaded: correct the system property " + PROPERTY
                        + ", or set it to off";
    }

    static boolean load(String named) {
        // Channels are closed under a thread that is interrupted, and it would decide for all.
        boolean wasInterrupted = Thread.interrupted();
        try {
            if (named.equals("off")) {
                return false;
            }
            try (InputStream bytes = named.isEmpty()
                    ? NativeLibrary.class.getResourceAsStream("/META-INF/native/" + platform() + "/" + FILE)
                    : Files.newInputStream(Paths.get(named))) {
                if (bytes == null) {
                    return false;
                }
                loadCopy(bytes);
            }
            return NativeCalls.version().equals(NativeCalls.VERSION);
        } catch (IOException | RuntimeException | LinkageError error) {
            return false;
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * A JVM loads one file for one class loader only. Nobody else can write the copy, whatever the umask. A library that was
     * loaded works without its file.
     */
    private static void loadCopy(InputStream bytes) throws IOException {
        Path copy = Files.createTempFile("sealmark-", FILE);
        try {
            // Into the file that was made: one made anew would have other permissions.
            try (OutputStream out = Files.newOutputStream(copy, WRITE, TRUNCATE_EXISTING)) {
                byte[] buffer = new byte[BUFFER];
                for (int read = bytes.read(buffer); read >= 0; read = bytes.read(buffer)) {
                    out.write(buffer, 0, read);
                }
            }
            System.load(copy.toString());
        } finally {
            if (!copy.toFile().delete()) {
                copy.toFile().deleteOnExit();
            }
        }
    }

    /** Such as {@code linux-x86_64}. */
    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return (system.startsWith("mac") ? "macos" : system) + "-" + (machine.equals("amd64") ? "x86_64" : machine);
    }
}
