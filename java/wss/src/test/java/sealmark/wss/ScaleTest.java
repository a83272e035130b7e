package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Large and many attachments in a JVM of 64 MB; sizes of a soak come with {@code -Dsealmark.wss.soak=true}. */
final class ScaleTest {
    private static final boolean IS_SOAK = Boolean.getBoolean("sealmark.wss.soak");
    private static final long MIB = 1024 * 1024;

    @TempDir
    Path directory;

    @Test
    void aLargeAttachmentNeedsNoMemory() throws Exception {
        for (long bytes : IS_SOAK ? new long[] {100 * MIB, 2048 * MIB + MIB, 6000 * MIB} : new long[] {100 * MIB}) {
            assertTrue(output("large", "" + bytes, directory.resolve("sealed").toString()).startsWith("sealed "));
        }
    }

    @Test
    void sixtyFourAttachmentsAreOpenAtOnce() throws Exception {
        assertEquals("opened 64", output("crowd", "64", "" + (IS_SOAK ? 2 * MIB : 300_000)));
    }

    @Test
    void manyMessagesLoseNoDescriptor() throws Exception {
        int messages = IS_SOAK ? 20_000 : 1_000;
        assertEquals("opened " + messages, output("many", "" + messages));
    }

    private String output(String... arguments) throws IOException, InterruptedException {
        Path log = directory.resolve("log");
        // JDK 24 and newer warn there of native code.
        Path errors = directory.resolve("errors");
        List<String> command = new ArrayList<>(Arrays.asList(
                Paths.get(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
                "-Dsealmark.wss.native=" + System.getProperty("sealmark.wss.native", ""),
                "-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("tmp")), "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")), Scale.class.getName()));
        command.addAll(Arrays.asList(arguments));
        Process program =
                new ProcessBuilder(command).redirectError(errors.toFile()).redirectOutput(log.toFile()).start();
        int code = program.waitFor();
        assertEquals(0, code, text(errors));
        String output = text(log);
        System.out.println(output);
        assertEquals(0, directory.resolve("tmp").toFile().list((folder, name) -> name.startsWith("sealmark-")
                && name.endsWith(".spool")).length);
        return output;
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).trim();
    }
}
