package sealmark.wss;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * The library {@code sealmark_jni}: from the path in the system property {@code sealmark.wss.native}, else out of the jar. If
 * it cannot be loaded, whatever the reason, there is none, and the engine in Java does the work.
 */
final class NativeLibrary {
    /** A path, or {@code off}. */
    private static final String PROPERTY = "sealmark.wss.native";
    private static final String FILE = System.mapLibraryName("sealmark_jni");

    private NativeLibrary() {}

    static boolean isLoaded() {
        return Once.IS_LOADED;
    }

    private static final class Once {
        static final boolean IS_LOADED = load();
    }

    private static boolean load() {
        // Channels are closed under a thread that is interrupted, and it would decide for all.
        boolean wasInterrupted = Thread.interrupted();
        try {
            String named = System.getProperty(PROPERTY, "");
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

    /** A JVM loads one file for one class loader only. A library that was loaded works without its file. */
    private static void loadCopy(InputStream bytes) throws IOException {
        Path copy = Files.createTempFile("sealmark-", FILE);
        try {
            Files.copy(bytes, copy, StandardCopyOption.REPLACE_EXISTING);
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
