package sealmark.lab.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Job {@code payload} as the lab asks for it. */
class PayloadConversationTest {
    private static final byte[] PLAIN = Recipe.bytes(7, 100_000);

    @TempDir
    private Path scratch;

    @AfterEach
    void unlistProviders() {
        Payloads.unlistProviders();
    }

    @Test
    void sealsAndOpensAndMeasures() throws Exception {
        Path plain = Files.write(scratch.resolve("plain"), PLAIN);
        for (String shape : Payloads.SHAPES) {
            Path sealed = scratch.resolve(shape + " sealed");
            Path opened = scratch.resolve(shape + " opened");
            List<Map<String, Object>> answers = ConversationTest.talk("SunJCE", prepare("AES-128-GCM", shape, 100_000),
                    run("seal", plain, sealed), run("open", sealed, opened));
            assertEquals(true, answers.get(0).get("authenticated"));
            assertArrayEquals(PLAIN, Payloads.open("AES-128-GCM", Files.readAllBytes(sealed)));
            assertArrayEquals(PLAIN, Files.readAllBytes(opened));
            measured(answers.get(1));
            measured(answers.get(2));
        }
    }

    private static void measured(Map<String, Object> done) {
        assertEquals("done", done.get("answer"));
        assertTrue((Long) done.get("wall_ns") > 1000, done::toString);
        assertTrue((Long) done.get("cpu_ns") > 1000, done::toString);
        assertTrue((Long) done.get("peak_bytes") > 1 << 20, done::toString);
        assertTrue((Long) done.get("allocated_bytes") > 8192, done::toString);
        assertTrue((Long) done.get("gc_ns") >= 0, done::toString);
    }

    @Test
    void namesCipherStreamsAndVersions() throws Exception {
        assertEquals("AES/GCM/NoPadding by com.sun.crypto.provider.", code("SunJCE", "update").substring(0, 45));
        says(code("SunJCE", "stream"), " through javax.crypto.CipherOutputStream and CipherInputStream");
        says(code("ACCP", "one-shot"), "AmazonCorrettoCryptoProvider 2.5.0 (AWS-LC ");
        says(code("Conscrypt", "update"), "Conscrypt 2.9.0 by update");
        says(code("BouncyCastle", "stream"),
                "BC 1.86 through org.bouncycastle.jcajce.io.CipherOutputStream and CipherInputStream");
        says(code("sealmark-wss", "stream"), "sealmark-wss 0.1.0 over JNI through GcmOutputStream and GcmInputStream");
        says(code("sealmark-wss", "wss4j"),
                "sealmark-wss 0.1.0 over JNI, which leaves sealing to SunJCE, through AttachmentUtils of WSS4J 2.4.3");
        says(code("BouncyCastle", "wss4j"), "BC 1.86 through AttachmentUtils of WSS4J 2.4.3, "
                + System.getProperty("java.vm.name"));
    }

    private static String code(String library, String shape) throws Exception {
        return ConversationTest.talk(library, prepare("AES-256-GCM", shape, 1)).get(0).get("code").toString();
    }

    private static void says(String code, String what) {
        assertTrue(code.contains(what), code);
    }

    @Test
    void noLengthIsTooMuchToPrepareFor() throws Exception {
        for (String shape : Payloads.SHAPES) {
            assertEquals(List.of("ready"), kinds("SunJCE", prepare("AES-128-GCM", shape, 7L << 30)));
        }
    }

    @Test
    void goesOnAfterBadNews() throws Exception {
        Path plain = Files.write(scratch.resolve("plain"), PLAIN);
        Path sealed = Files.write(scratch.resolve("sealed"), Payloads.seal("AES-128-GCM", PLAIN));
        Path damaged = Files.write(scratch.resolve("damaged"),
                Bytes.withFlippedBit(Files.readAllBytes(sealed), PLAIN.length + 27));
        for (String library : Payloads.LIBRARIES) {
            for (String shape : Payloads.shapes(library)) {
                Path out = Files.createDirectory(scratch.resolve(library + " " + shape));
                Payloads.unlistProviders();
                List<String> answers = kinds(library, run("seal", plain, out.resolve("1")),
                        prepare("AES-128-GCM", shape, 100_000), run("open", damaged, out.resolve("2")),
                        run("open", sealed, out.resolve("3")), run("seal", scratch.resolve("absent"), out.resolve("4")),
                        run("encode", plain, out.resolve("5")), run("seal", plain, out.resolve("6")),
                        "{'ask':'time','operation':'seal','first':1,'count':1}",
                        prepare("AES", shape, 100_000), run("seal", plain, out.resolve("7")));
                assertEquals(List.of("failed", "ready", "refused", "done", "failed", "unsupported", "done", "failed",
                        "unsupported", "failed"), answers, out::toString);
            }
        }
    }

    private static List<String> kinds(String library, String... asks) throws Exception {
        return ConversationTest.kinds(ConversationTest.talk(library, asks));
    }

    private static String prepare(String algorithm, String shape, long bytes) {
        return "{'ask':'prepare','job':'payload','algorithm':'" + algorithm + "','mode':'" + shape + "','bytes':" + bytes
                + ",'seed':7,'directory':'/nowhere'}";
    }

    private static String run(String operation, Path input, Path output) {
        return "{'ask':'run','operation':'" + operation + "','input':'" + input + "','output':'" + output + "'}";
    }
}
