package sealmark.wss;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The library {@code sealmark_jni}: the file that the system property {@link NativeCalls#PROPERTY} names, else that of the jar,
 * unpacked into the folder which the property names, or into the temporary one. It is loaded once, when it is asked for first;
 * if that fails, whatever the reason, or the property is {@code off}, there is none.
 *
 * <p>{@code sealmark-log} and {@code sealmark-wss} have this file each, equal but for the package: a JVM links native methods
 * only to libraries that their own class loader loaded, and two modules may not have the same package.
 */
final class NativeLibrary {
    private static final String FILE = System.mapLibraryName("sealmark_jni");

    /** How such a file begins in the order of this machine: 0x7f, ELF; and the bytes of the 64-bit header. */
    private static final int ELF =
            ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? 0x7f454c46 : Integer.reverseBytes(0x7f454c46);
    private static final int ELF_HEADER = 64;

    private NativeLibrary() {}

    /** Why there is none, in one line; empty if it is loaded. */
    static Optional<String> missing() {
        return Once.MISSING;
    }

    private static final class Once {
        static final Optional<String> MISSING = uninterrupted();
    }

    /** True if the user named a file or folder. */
    static boolean isNamed() {
        String named = named();
        return !named.isEmpty() && !named.equals("off");
    }

    private static String named() {
        return System.getProperty(NativeCalls.PROPERTY, "");
    }

    /** Channels are closed under a thread that is interrupted, and its failure would count for all threads. */
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
        try {
            if (named().equals("off")) {
                return Optional.of("the native library was switched off by -D" + NativeCalls.PROPERTY + "=off");
            }
            Path place = Paths.get(isNamed() ? named() : System.getProperty("java.io.tmpdir")).toAbsolutePath();
            if (isNamed() && !Files.isDirectory(place)) {
                loadFile(place);
            } else {
                loadOutOfJar(place);
            }
            return problemOf(NativeCalls.version());
        } catch (IOException | RuntimeException | LinkageError error) {
            return Optional.of("no native library: " + reason(error));
        }
    }

    private static void loadOutOfJar(Path folder) throws IOException {
        String platform = platform();
        try (InputStream bytes = NativeLibrary.class.getResourceAsStream("/META-INF/native/" + platform + "/" + FILE)) {
            if (bytes == null) {
                throw new IOException("the jar has no native library for the platform " + platform);
            }
            loadCopy(bytes, folder);
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
                loadCopy(bytes, Paths.get(System.getProperty("java.io.tmpdir")).toAbsolutePath());
            }
        }
    }

    /** Only this user can reach the copy, whatever the umask. It goes as soon as it is mapped: the library works without it. */
    private static void loadCopy(InputStream bytes, Path folder) throws IOException {
        Path own = null;
        try {
            own = Files.createTempDirectory(folder, "sealmark-");
            Files.copy(bytes, own.resolve(FILE));
        } catch (IOException error) {
            remove(own);
            throw new IOException(refused(folder, error.toString()), error);
        }
        try {
            load(own.resolve(FILE));
        } catch (UnsatisfiedLinkError error) {
            if (mayRun(own.resolve(FILE).toFile())) {
                throw error;
            }
            throw new IOException(refused(folder, "mounted noexec"), error);
        } finally {
            remove(own);
        }
    }

    /** False if the file system runs no programs: on such a one, not even root can execute a file. */
    private static boolean mayRun(File copy) {
        return !copy.setExecutable(true, true) || copy.canExecute();
    }

    private static String refused(Path folder, String why) {
        return "it cannot be loaded from the folder \"" + folder + "\" (" + why + "): name another folder, or the library's"
                + " file, with -D" + NativeCalls.PROPERTY + "=PATH";
    }

    private static void remove(Path own) {
        for (Path path : own == null ? new Path[0] : new Path[] {own.resolve(FILE), own}) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException error) {
                path.toFile().deleteOnExit();
            }
        }
    }

    /** A file that was cut off would end the process when it is mapped. */
    private static void load(Path file) throws IOException {
        byte[] header = new byte[ELF_HEADER];
        try (InputStream bytes = Files.newInputStream(file)) {
            int at = 0;
            for (int read = 0; read >= 0 && at < header.length; at += Math.max(read, 0)) {
                read = bytes.read(header, at, header.length - at);
            }
        }
        ByteBuffer start = ByteBuffer.wrap(header).order(ByteOrder.nativeOrder());
        if (start.getInt(0) == ELF && elfEnd(start) > Files.size(file)) {
            throw new IOException("\"" + file + "\" is truncated");
        }
        System.load(file.toString());
    }

    /** The end of the table of sections, which is the last in a file. */
    private static long elfEnd(ByteBuffer header) {
        return header.getLong(40) + (long) header.getShort(58) * header.getShort(60);
    }

    private static Optional<String> problemOf(String version) {
        return version.equals(NativeCalls.VERSION) ? Optional.empty()
                : Optional.of("the native library has version \"" + version + "\", and the jar needs \"" + NativeCalls.VERSION
                        + "\"");
    }

    /** The library's folder in the jar, such as {@code linux-x86_64} or {@code linux-aarch64-musl}. */
    static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        String platform = (system.startsWith("mac") ? "macos" : system) + "-" + (machine.equals("amd64") ? "x86_64" : machine);
        return system.equals("linux") && isMusl() ? platform + "-musl" : platform;
    }

    private static boolean isMusl() {
        try (Stream<String> maps = Files.lines(Paths.get("/proc/self/maps"), ISO_8859_1)) {
            return isMusl(maps);
        } catch (IOException | UncheckedIOException unreadable) {
            return false;
        }
    }

    /**
     * True if musl, not glibc, is the C library of the process with these maps. Files that exist tell nothing, because a system
     * may have both. The loader of musl is the C library, too, and some distributions call it by that name.
     */
    static boolean isMusl(Stream<String> maps) {
        return maps.map(line -> line.substring(line.lastIndexOf('/') + 1))
                .anyMatch(file -> file.startsWith("ld-musl-") || file.equals("libc.so"));
    }

    private static String reason(Throwable error) {
        String message = String.valueOf(error.getMessage());
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }
}
