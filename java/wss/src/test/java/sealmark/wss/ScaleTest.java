package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Large and many attachments in a JVM of 64 MB; sizes of a soak come with {@code -Dsealmark.wss.soak=true}. */
final class ScaleTest {
    private static final boolean IS_SOAK = Boolean.getBoolean("sealmark.wss.soak");
    private static final long MIB = 1024 * 1024;
    private static final long[] SIZES =
            IS_SOAK ? new long[] {100 * MIB, 2048 * MIB + MIB, 6000 * MIB} : new long[] {100 * MIB};
    private static final String NATIVE = "sealmark.wss.native";

    @TempDir
    Path directory;

    @Test
    void aLargeAttachmentNeedsNoMemory() throws Exception {
        for (long bytes : SIZES) {
            assertTrue(output("large", "" + bytes, directory.resolve("sealed").toString()).startsWith("sealed "));
        }
    }

    /** On those that {@code scripts/jdks.sh} has fetched; the build's own and the newest run all tests. */
    @TestFactory
    List<DynamicTest> aLargeAttachmentOpensOnOtherJdks() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        Path jdks = Paths.get(System.getProperty("sealmark.root")).toRealPath().resolve(Paths.get("target", "jdks"));
        if (Paths.get(System.getProperty("java.home")).startsWith(jdks)) {
            // The build's own JDK has started them before.
            return tests;
        }
        for (String version : Arrays.asList("8", "11", "21")) {
            Path java = jdks.resolve(Paths.get(version, "bin", "java"));
            tests.add(DynamicTest.dynamicTest("JDK " + version, () -> {
                assumeTrue(Files.isExecutable(java), "hint: scripts/jdks.sh " + version);
                for (long bytes : SIZES) {
                    String opened = output(start(java, "large", "" + bytes, directory.resolve("sealed").toString()));
                    assertTrue(opened.startsWith("sealed "), opened);
                }
            }));
        }
        return tests;
    }

    /** Ciphertext, plaintext, and the buffers that the JDK's stream outgrows: about three times the length and a half. */
    @Test
    void theProviderAloneOpensWhatFitsIntoTheHeap() throws Exception {
        String opened = output("alone", "" + 12 * MIB, directory.resolve("sealed").toString());
        assertTrue(opened.startsWith("opened " + 12 * MIB + " alone in "), opened);
    }

    @Test
    void sixtyFourAttachmentsAreOpenAtOnce() throws Exception {
        assertEquals("opened 64", output("crowd", "64", "" + (IS_SOAK ? 2 * MIB : 300_000)));
    }

    @Test
    void manyMessagesLoseNoDescriptor() throws Exception {
        assertEquals("opened 10000", output("many", "10000"));
    }

    /** The limit on the size of a file stands for a disk that has no more room. */
    @Test
    void aSpoolWithoutRoomIsAnErrorAndLeavesNothing() throws Exception {
        assertEquals("refused 200, opened 200", output("full", "200"));
    }

    /** It had spooled half of an attachment, and waited for the rest. */
    @Test
    void aKilledReceiverLeavesNothing() throws Exception {
        Process program = start("stall", "300000");
        try {
            long end = System.nanoTime() + 60_000_000_000L;
            while (!text(directory.resolve("log")).equals("waits") && System.nanoTime() < end) {
                assertTrue(program.isAlive(), text(directory.resolve("errors")));
                Thread.sleep(20);
            }
            assertEquals("waits", text(directory.resolve("log")));
        } finally {
            // SIGKILL, where there are signals.
            program.destroyForcibly().waitFor();
        }
        assertEquals(0, directory.resolve("tmp").toFile().list().length);
    }

    @Test
    void anApplicationLearnsOfAWrongLibraryWhenItInstallsTheProvider() throws Exception {
        String before = System.setProperty(NATIVE, "/no/such/library.so");
        Process program;
        try {
            program = start("many", "1");
        } finally {
            System.setProperty(NATIVE, before == null ? "" : before);
        }
        assertEquals(1, program.waitFor());
        String errors = text(directory.resolve("errors"));
        assertTrue(errors.contains("no native library: /no/such/library.so: ") && errors.contains(".install("), errors);
    }

    private String output(String... arguments) throws IOException, InterruptedException {
        return output(start(arguments));
    }

    private String output(Process program) throws IOException, InterruptedException {
        int code = program.waitFor();
        assertEquals(0, code, text(directory.resolve("errors")));
        String output = text(directory.resolve("log"));
        System.out.println(output);
        assertEquals(0, directory.resolve("tmp").toFile().list().length);
        return output;
    }

    private Process start(String... arguments) throws IOException {
        return start(Paths.get(System.getProperty("java.home"), "bin", "java"), arguments);
    }

    private Process start(Path java, String... arguments) throws IOException {
        Path log = directory.resolve("log");
        // JDK 24 and newer warn there of native code.
        Path errors = directory.resolve("errors");
        List<String> command = new ArrayList<>(Arrays.asList(
                java.toString(), "-Xmx64m",
                "-D" + NATIVE + "=" + System.getProperty(NATIVE, ""),
                "-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("tmp")), "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")), Scale.class.getName()));
        command.addAll(Arrays.asList(arguments));
        if (arguments[0].equals("full")) {
            command.addAll(0, Arrays.asList("bash", "-c", "ulimit -f 100 && exec \"$@\"", "bash"));
        }
        return new ProcessBuilder(command).redirectError(errors.toFile()).redirectOutput(log.toFile()).start();
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).trim();
    }
}
