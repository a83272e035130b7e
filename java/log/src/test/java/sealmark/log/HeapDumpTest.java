package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sealmark.testing.HeapDump;

/** Sealed values are not found in the JVM's memory afterwards, as far as it is reachable from anywhere. */
class HeapDumpTest {
    /** Kept, to see that a search finds what is there. */
    private String kept;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(value = LogSealer.Engine.class, names = {"AUTO", "PURE_JAVA"})
    void noValueIsReachableWhenItWasSealed(LogSealer.Engine engine) throws Exception {
        LogSealer sealer = Seals.builder().engine(engine).padding(64).build();
        LogSealer unpadded = Seals.builder().engine(engine).build();
        // Turned round, so that the search does not find what it searches with.
        byte[][] turned = new byte[12][];
        Thread thread = new Thread(() -> {
            for (int number = 0; number < turned.length; number++) {
                turned[number] = sealOne(number % 2 == 0 ? sealer : unpadded, number);
            }
        });
        thread.start();
        thread.join();
        kept = secret(40);
        byte[] keptTurned = HeapDump.turned(kept);
        try (HeapDump dump = new HeapDump(directory)) {
            assertTrue(dump.has(keptTurned), "what is there is found");
            for (byte[] secret : turned) {
                assertFalse(dump.has(secret), "a sealed value is still reachable");
            }
        }
        assertTrue(sealer.sealed() == 6 && unpadded.sealed() == 6);
    }

    /** Seals a new secret, in one of the ways there are, and gives it back turned round. */
    private static byte[] sealOne(LogSealer sealer, int way) {
        String secret = secret(way % 6 < 2 ? 24 : 3_000);
        if (way >= 6) {
            assertTrue(sealer.sealJson(EMAIL, "\"" + secret + "\"").matches("~s1[jq]~.*"));
        } else if (way % 4 < 2) {
            assertTrue(sealer.seal(EMAIL, secret).startsWith("~s1"));
        } else {
            byte[] bytes = secret.getBytes(ISO_8859_1);
            byte[] out = new byte[sealer.tokenLength(EMAIL, bytes.length)];
            assertTrue(sealer.seal(EMAIL, bytes, 0, bytes.length, out, 0) == out.length);
        }
        return HeapDump.turned(secret.substring(0, 24));
    }

    private static String secret(int length) {
        byte[] bytes = new byte[length / 2];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
