package sealmark.log.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the native library comes from, and that nothing but speed is lost without it. Each case is a process. */
class NativeLibraryTest {
    /** This text is as long as the version that the jar needs, because it takes its place in a file. */
    private static final String OTHER_VERSION = NativeCalls.VERSION.substring(0, NativeCalls.VERSION.length() - 1) + "x";
    private static final Path BUILT = Path.of(System.getProperty("sealmark.jni"));
    private static final boolean WARNS_OF_NATIVE_CODE = Runtime.version().feature() >= 24;

    @TempDir
    Path folder;

    private Path temporary;
    /** The program and arguments that start the process, if any. */
    private List<String> before = List.of();
    private String errors;

    @BeforeEach
    void libraryIsBuilt() throws Exception {
        assumeTrue(Files.exists(BUILT), "no native library was built");
        temporary = Files.createDirectory(folder.resolve("tmp"));
    }

    @Test
    void itComesOutOfTheJarAndLeavesNoFile() throws Exception {
        assertEquals(List.of("native", "left: []"), engineWith());
    }

    @Test
    void itComesFromANamedFile() throws Exception {
        assertEquals(List.of("native", "left: []"), engineWith("-Dsealmark.log.native=" + BUILT));
    }

    @Test
    void anInterruptedThreadLoadsItToo() throws Exception {
        assertEquals(List.of("native", "left: []"), engineWith("-Dinterrupted=true"));
        assertEquals("native", engineWith("-Dinterrupted=true", "-Dsealmark.log.native=" + BUILT).get(0));
    }

    @Test
    void arraysStayWhereTheyLieOnceManyValuesWereSealedAndThatTakesNoOtherPermission() throws Exception {
        boolean isNew = Runtime.version().feature() >= 24;
        String[] options = isNew ? new String[] {"--enable-native-access=ALL-UNNAMED", "-Dvalues=20000"}
                : new String[] {"-Dvalues=20000"};
        assertEquals(List.of("native", "linked: " + isNew, "left: []"), engineWith(options));
        assertEquals("", errors);
        options[options.length - 1] = "-Dvalues=10000";
        assertEquals("linked: false", engineWith(options).get(1));
    }

    @ParameterizedTest
    @CsvSource({"ANY,false,false", "JSON,false,false", "ANY,true,false", "JSON,true,false", "ANY,true,true"})
    void aThreadThatIsOutOfStackLeavesASlotThatOthersCanUse(String kind, String text, String linked) throws Exception {
        assertEquals(List.of("[opened, 100]"), process(GrowingRooms.class, "-Dkind=" + kind, "-Dtext=" + text,
                "-Dlinked=" + linked));
    }

    @Test
    void itCanBeSwitchedOff() throws Exception {
        assertPureJava("switched off by -Dsealmark.log.native=off", "-Dsealmark.log.native=off");
    }

    @Test
    void aMissingFileIsNoError() throws Exception {
        assertPureJava("no native library: " + folder.resolve("none.so"), "-Dsealmark.log.native=" + folder.resolve("none.so"));
    }

    @Test
    void aNamedFolderTakesThePlaceOfTheTemporaryOne() throws Exception {
        Files.delete(temporary);
        Path named = Files.createDirectory(folder.resolve("named"));
        assertEquals("native", engineWith("-Dsealmark.log.native=" + named).get(0));
        assertEquals(0, named.toFile().list().length);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 60, 1000, 500_000})
    void aBrokenFileIsNoError(int length) throws Exception {
        Path broken = Files.write(folder.resolve("broken.so"), Arrays.copyOf(Files.readAllBytes(BUILT), length));
        assertPureJava("no native library: ", "-Dsealmark.log.native=" + broken);
    }

    @Test
    void aFileOfAnotherVersionIsNoError() throws Exception {
        String bytes = Files.readString(BUILT, ISO_8859_1);
        String other = bytes.replace(NativeCalls.VERSION, OTHER_VERSION);
        assertNotEquals(bytes, other);
        Path file = Files.writeString(folder.resolve("other.so"), other, ISO_8859_1);
        String told = "has version \"" + OTHER_VERSION + "\", and the jar needs \"" + NativeCalls.VERSION + "\"";
        assertPureJava(told, "-Dsealmark.log.native=" + file);
    }

    @Test
    void aFileWithoutOurFunctionsIsNoError() throws Exception {
        Path other = Path.of(System.getProperty("java.home"), "lib", System.mapLibraryName("prefs"));
        assumeTrue(Files.exists(other));
        assertPureJava("no native library: ", "-Dsealmark.log.native=" + other);
    }

    @Test
    void aTemporaryFolderThatIsNotThereIsNoError() throws Exception {
        Files.delete(temporary);
        assertPureJava("no native library: it cannot be loaded from the folder \"" + temporary
                + "\" (java.nio.file.NoSuchFileException: ");
    }

    /** Containers are often read-only, and hardened systems run no code out of their temporary folder. */
    @ParameterizedTest
    @CsvSource({"ro,Read-only file system", "noexec,mounted noexec", "size=64k,No space left on device"})
    void aFileSystemThatCannotBeUsedIsNoError(String mounted, String why) throws Exception {
        before = List.of("unshare", "--map-root-user", "--mount", "sh", "-ec",
                "mount -t tmpfs -o " + mounted + " none " + temporary + "; exec \"$@\"", "sh");
        assumeTrue(canStart(), "no mount namespaces");
        assertPureJava(why + "): name another folder, or the library's file, with -Dsealmark.log.native=PATH");
        assertEquals("native", engineWith("-Dsealmark.log.native=" + BUILT).get(0));
        assertEquals("native", engineWith("-Dsealmark.log.native=" + folder).get(0));
    }

    private boolean canStart() throws Exception {
        List<String> command = new ArrayList<>(before);
        command.add("true");
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
        } catch (IOException withoutUnshare) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "true,7f0 r-xp 00014000 fe:00 131 /lib/ld-musl-x86_64.so.1", // Alpine
        "true,7f0 r-xp 00014000 fe:00 131 /lib/x86_64-linux-musl/libc.so", // musl of Debian
        "false,7f0 r-xp 00014000 fe:00 131 /lib/ld-musl-x86_64.so.1/log.jar",
        "false,7f0 r-xp 00014000 fe:00 131 /usr/lib/x86_64-linux-gnu/libc.so.6",
        "false,7f0 r-xp 00014000 fe:00 131 /lib/x86_64-linux-gnu/libc-2.31.so",
    })
    void theProcessTellsItsOwnLibraryOfC(boolean isMusl, String map) {
        assertEquals(isMusl, NativeLibrary.isMusl(Stream.of("55d rw-p 00000000 00:00 0 [heap]", map, "7ff rw-p [stack]")));
    }

    @Test
    void aJvmThatForbidsNativeCodeIsNoError() throws Exception {
        assumeTrue(WARNS_OF_NATIVE_CODE);
        assertPureJava("no native library: ", "--illegal-native-access=deny");
        assertEquals("", errors);
    }

    @Test
    void aJvmThatIsAskedForPureJavaOrAllowsNativeCodeDoesNotWarn() throws Exception {
        assumeTrue(WARNS_OF_NATIVE_CODE);
        engineWith("-Dsealmark.log.native=off");
        assertEquals("", errors);
        assertEquals("native", engineWith("--enable-native-access=ALL-UNNAMED").get(0));
        assertEquals("", errors);
        engineWith();
        assertTrue(errors.contains("--enable-native-access"), errors);
    }

    /** Another user who could write to it before it is loaded would run code here. */
    @Test
    @Timeout(60)
    void nobodyElseMayReachTheCopyWhateverTheUmask() throws Exception {
        // A pipe in front of the jar, so that the process waits for the rest of the library amid its copy.
        Path library = libraryIn(folder);
        Files.createDirectories(library.getParent());
        assumeTrue(new ProcessBuilder("mkfifo", library.toString()).start().waitFor() == 0, "no pipes");
        Process loading = new ProcessBuilder("sh", "-c", "umask 0; exec \"$@\"", "sh",
                ProcessHandle.current().info().command().orElseThrow(), "-Djava.io.tmpdir=" + temporary, "-cp",
                folder + File.pathSeparator + System.getProperty("java.class.path"), WhichEngine.class.getName())
                .redirectErrorStream(true).redirectOutput(folder.resolve("out.txt").toFile()).start();
        try (OutputStream out = Files.newOutputStream(library)) {
            out.write(new byte[100]);
            out.flush();
            Path copy = copy();
            while (Files.size(copy) == 0) {
                Thread.sleep(5);
            }
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(copy.getParent())));
        }
        assertTrue(loading.waitFor(50, TimeUnit.SECONDS));
        String said = Files.readString(folder.resolve("out.txt"));
        assertTrue(said.contains("pure-java (") && said.contains("left: []"), said);
    }

    /** The only file in the temporary folder, as soon as it is there. */
    private Path copy() throws Exception {
        while (true) {
            try (Stream<Path> files = Files.walk(temporary)) {
                Optional<Path> copy = files.filter(Files::isRegularFile).findAny();
                if (copy.isPresent()) {
                    return copy.get();
                }
            }
            Thread.sleep(5);
        }
    }

    private static Path libraryIn(Path classes) {
        return classes.resolve("META-INF/native").resolve(NativeLibrary.platform())
                .resolve(System.mapLibraryName("sealmark_jni"));
    }

    @Test
    void whoWantsNothingElseIsTold() throws Exception {
        try (Loader loader = new Loader()) {
            System.setProperty("sealmark.log.native", "off");
            Throwable thrown = assertThrows(ReflectiveOperationException.class, () -> loader.choose(true)).getCause();
            assertEquals(IllegalStateException.class, thrown.getClass());
            assertTrue(thrown.getMessage().contains("switched off"), thrown.getMessage());
        } finally {
            System.clearProperty("sealmark.log.native");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyClassLoaderHasItsOwn(boolean isNamed) throws Exception {
        try (Loader one = new Loader(); Loader other = new Loader()) {
            if (isNamed) {
                System.setProperty("sealmark.log.native", BUILT.toString());
            }
            assertEquals(List.of("native", "native"), List.of(one.choose(true), other.choose(false)));
        } finally {
            System.clearProperty("sealmark.log.native");
        }
    }

    /** Two applications in one JVM need not be updated together. */
    @Test
    void eachVersionHasItsOwn() throws Exception {
        URL classes = Engine.class.getProtectionDomain().getCodeSource().getLocation();
        for (Class<?> type : List.of(NativeCalls.class, NativeLibrary.class)) {
            String file = type.getName().replace('.', '/') + ".class";
            try (InputStream bytes = type.getResourceAsStream("/" + file)) {
                copyOfAnotherVersion(bytes, folder.resolve(file));
            }
        }
        try (InputStream bytes = Files.newInputStream(BUILT)) {
            copyOfAnotherVersion(bytes, libraryIn(folder));
        }
        try (Loader one = new Loader(); Loader other = new Loader(folder.toUri().toURL(), classes)) {
            assertEquals(List.of("native", "native"), List.of(one.choose(true), other.choose(true)));
            assertEquals(List.of(NativeCalls.VERSION, OTHER_VERSION), List.of(one.version(), other.version()));
        }
    }

    private static void copyOfAnotherVersion(InputStream bytes, Path file) throws Exception {
        String before = new String(bytes.readAllBytes(), ISO_8859_1);
        Files.createDirectories(file.getParent());
        Files.writeString(file, before.replace(NativeCalls.VERSION, OTHER_VERSION), ISO_8859_1);
    }

    /** The library's classes once more. */
    private static final class Loader extends URLClassLoader {
        Loader(URL... classes) {
            super(classes, ClassLoader.getPlatformClassLoader());
        }

        Loader() {
            this(Engine.class.getProtectionDomain().getCodeSource().getLocation());
        }

        String version() throws ReflectiveOperationException {
            Method version = loadClass("sealmark.log.engine.NativeCalls").getDeclaredMethod("version");
            version.setAccessible(true);
            return (String) version.invoke(null);
        }

        String choose(boolean onlyNative) throws ReflectiveOperationException {
            Class<?> engines = loadClass("sealmark.log.engine.Engine");
            assertEquals(this, engines.getClassLoader());
            Class<?> wanted = loadClass("sealmark.log.LogSealer$Engine");
            Object one = wanted.getField(onlyNative ? "NATIVE" : "AUTO").get(null);
            return (String) engines.getMethod("name").invoke(engines.getMethod("choose", wanted).invoke(null, one));
        }
    }

    private void assertPureJava(String why, String... options) throws Exception {
        List<String> said = engineWith(options);
        assertTrue(said.get(0).startsWith("pure-java (") && said.get(0).contains(why), said.get(0));
        assertEquals("left: []", said.get(1));
    }

    private List<String> engineWith(String... options) throws Exception {
        return process(WhichEngine.class, options);
    }

    private List<String> process(Class<?> main, String... options) throws Exception {
        Path out = folder.resolve("out.txt");
        Path err = folder.resolve("err.txt");
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(ProcessHandle.current().info().command().orElseThrow(),
                "-Djava.io.tmpdir=" + temporary, "-Xshare:auto", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(options));
        command.add(main.getName());
        Process process = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile())
                .redirectInput(new File("/dev/null")).start();
        boolean hasEnded = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly();
        errors = Files.readString(err, UTF_8);
        assertTrue(hasEnded, () -> "it does not end: " + command);
        assertEquals(0, process.exitValue(), errors);
        return Files.readAllLines(out, UTF_8);
    }
}
