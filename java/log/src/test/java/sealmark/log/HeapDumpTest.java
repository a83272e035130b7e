package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;

import java.lang.management.ManagementFactory;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import javax.management.ObjectName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What was sealed is not found in the JVM's memory afterwards, as far as it is reachable from anywhere. */
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
        byte[] keptTurned = turn(kept);
        try (FileChannel dump = FileChannel.open(dump())) {
            assertTrue(isIn(dump, keptTurned), "what is there is found");
            for (byte[] secret : turned) {
                assertFalse(isIn(dump, secret), "a sealed value is still reachable");
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
        return turn(secret.substring(0, 24));
    }

    private static String secret(int length) {
        byte[] bytes = new byte[length / 2];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static byte[] turn(String text) {
        return new StringBuilder(text).reverse().toString().getBytes(ISO_8859_1);
    }

    private Path dump() throws Exception {
        Path file = directory.resolve("heap.hprof");
        ObjectName diagnostic = new ObjectName("com.sun.management:type=HotSpotDiagnostic");
        String[] types = {String.class.getName(), boolean.class.getName()};
        ManagementFactory.getPlatformMBeanServer()
                .invoke(diagnostic, "dumpHeap", new Object[] {file.toString(), true}, types);
        return file;
    }

    /** As Latin-1, and as characters of two bytes in either order. */
    private static boolean isIn(FileChannel file, byte[] turned) throws Exception {
        String text = new StringBuilder(new String(turned, ISO_8859_1)).reverse().toString();
        MappedByteBuffer all = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size());
        return contains(all, text.getBytes(ISO_8859_1)) || contains(all, text.getBytes(UTF_16BE))
                || contains(all, text.getBytes(UTF_16LE));
    }

    private static boolean contains(MappedByteBuffer all, byte[] wanted) {
        byte[] here = new byte[wanted.length];
        for (int at = 0; at <= all.limit() - wanted.length; at++) {
            if (all.get(at) == wanted[0] && all.get(at + 1) == wanted[1]) {
                all.get(at, here);
                if (Arrays.equals(here, wanted)) {
                    return true;
                }
            }
        }
        return false;
    }
}
