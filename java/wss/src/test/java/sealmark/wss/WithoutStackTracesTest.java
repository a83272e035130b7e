package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A JVM whose exceptions have no stack traces, so that nobody can tell which class of WSS4J asks for an attachment. */
final class WithoutStackTracesTest {
    @TempDir
    Path directory;

    /** Receives an attachment in CBC, and a forged one in GCM. */
    static final class Receiving {
        private Receiving() {}

        public static void main(String[] arguments) throws Exception {
            SealmarkProvider.install();
            Messages messages = new Messages();
            messages.wrapsSender = false;
            for (String algorithm : new String[] {Messages.AES_128_CBC, Messages.AES_128_GCM}) {
                Messages.Message message = messages.sealed(
                        algorithm, "Content", false, Collections.singletonMap("invoice", Payloads.random(1, 1000)));
                byte[] sealed = message.attachments.get("invoice");
                InputStream given = new ByteArrayInputStream(
                        algorithm.equals(Messages.AES_128_GCM) ? Payloads.flipped(sealed, 8 * Gcm.IV) : sealed);
                Messages.Application application = new Messages.Application();
                application.put("invoice", given);
                try {
                    messages.receive(message.envelope, new VerifyingAttachments(application).verifyAtOnce());
                    System.out.println("received");
                } catch (Exception error) {
                    System.out.println(error.getCause() == null ? error : error.getCause());
                }
                System.out.println(application.get("invoice") == given ? "not decrypted" : "decrypted");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-XX:-StackTraceInThrowable", "-XX:MaxJavaStackTraceDepth=1"})
    void noMessageIsReceived(String option) throws Exception {
        Path log = directory.resolve("log");
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        String java = Paths.get(System.getProperty("java.home"), "bin", "java").toString();
        Process receiving = new ProcessBuilder(java, option, "-cp", path, Receiving.class.getName())
                .redirectError(directory.resolve("errors").toFile()).redirectOutput(log.toFile()).start();
        assertTrue(receiving.waitFor(5, TimeUnit.MINUTES));
        List<String> kinds = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            kinds.add(line.replaceFirst(".*(this JVM records no stack traces).*", "$1"));
        }
        String refusal = "this JVM records no stack traces";
        assertEquals(Arrays.asList(refusal, "not decrypted", refusal, "not decrypted"), kinds, () -> text());
    }

    private String text() {
        try {
            return new String(Files.readAllBytes(directory.resolve("errors")), StandardCharsets.UTF_8);
        } catch (java.io.IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }
}
