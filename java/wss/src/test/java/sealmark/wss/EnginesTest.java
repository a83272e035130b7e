package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import javax.crypto.SecretKey;
import org.junit.jupiter.api.Test;

/** The engine in Java and the native one give the same bytes. */
final class EnginesTest {
    @Test
    void theNativeEngineIsThereIfItWasBuilt() {
        boolean isOff = System.getProperty("sealmark.wss.native", "").equals("off");
        boolean isBuilt = Files.exists(Paths.get(System.getProperty("sealmark.jni")));
        assertEquals(isBuilt && !isOff, SealmarkProvider.isNative());
    }

    @Test
    void bothSealTheSame() throws Exception {
        assumeTrue(NativeGcm.isThere());
        for (int bytes : new int[] {16, 32}) {
            for (int length : Payloads.LENGTHS) {
                byte[] key = Payloads.random(bytes, bytes);
                try (Gcm natively = NativeGcm.sealing(key); Gcm inJava = new JavaGcm(key, natively.iv())) {
                    assertArrayEquals(sealed(inJava, length), sealed(natively, length), "" + length);
                }
            }
        }
    }

    private static byte[] sealed(Gcm gcm, int length) {
        byte[] plaintext = Payloads.random(3, length);
        byte[] sealed = new byte[length + Gcm.TAG];
        for (int at = 0; at < length; at += Gcm.PIECE) {
            byte[] piece = Arrays.copyOfRange(plaintext, at, Math.min(length, at + Gcm.PIECE));
            gcm.seal(piece, piece.length);
            System.arraycopy(piece, 0, sealed, at, piece.length);
        }
        System.arraycopy(gcm.tag(), 0, sealed, length, Gcm.TAG);
        return sealed;
    }

    @Test
    void bothOpenTheSame() throws Exception {
        byte[] key = Payloads.random(16, 16);
        byte[] iv = new byte[Gcm.IV];
        byte[] plaintext = Payloads.random(3, Gcm.PIECE + 99);
        byte[] sealed = sealed(new JavaGcm(key, iv), plaintext.length);
        for (boolean isNative : new boolean[] {false, true}) {
            if (isNative && !NativeGcm.isThere()) {
                continue;
            }
            for (int flipped : new int[] {-1, 0, 8 * Gcm.PIECE, 8 * sealed.length - 1}) {
                byte[] payload = flipped < 0 ? sealed : Payloads.flipped(sealed, flipped);
                byte[] first = Arrays.copyOf(payload, Gcm.PIECE);
                byte[] second = Arrays.copyOfRange(payload, Gcm.PIECE, plaintext.length);
                try (Gcm gcm = isNative ? NativeGcm.opening(key, iv) : new JavaGcm(key, iv)) {
                    gcm.authenticate(first, first.length);
                    gcm.authenticate(second, second.length);
                    assertEquals(flipped < 0, gcm.isAuthentic(Arrays.copyOfRange(payload, plaintext.length, payload.length)));
                    if (flipped < 0) {
                        assertTrue(gcm.release(first, first.length));
                        assertArrayEquals(Arrays.copyOf(plaintext, Gcm.PIECE), first);
                        byte[] other = Payloads.flipped(second, 5);
                        assertFalse(gcm.release(other, other.length));
                        assertArrayEquals(Payloads.flipped(second, 5), other, "left alone");
                    }
                }
            }
        }
    }

    /** With wiped keys all hashes are equal, so that any piece would seem to be the authentic one. */
    @Test
    void aClosedPayloadIsNoMore() throws Exception {
        byte[] key = Payloads.random(16, 16);
        byte[] sealed = sealed(new JavaGcm(key, new byte[Gcm.IV]), 64);
        for (boolean isNative : new boolean[] {false, true}) {
            if (isNative && !NativeGcm.isThere()) {
                continue;
            }
            Gcm gcm = isNative ? NativeGcm.opening(key, new byte[Gcm.IV]) : new JavaGcm(key, new byte[Gcm.IV]);
            gcm.authenticate(Arrays.copyOf(sealed, 64), 64);
            assertTrue(gcm.isAuthentic(Arrays.copyOfRange(sealed, 64, 80)));
            gcm.close();
            gcm.close();
            byte[] forged = new byte[64];
            assertThrows(IllegalStateException.class, () -> gcm.release(forged, 64));
            assertArrayEquals(new byte[64], forged, "left alone");
            assertThrows(IllegalStateException.class, () -> gcm.authenticate(new byte[16], 16));
            assertThrows(IllegalStateException.class, gcm::tag);
        }
    }

    /** A reader that drops a stream before its end leaves its file and keys, until the collector has run. */
    @Test
    void anAbandonedStreamGivesItsFileBack() throws Exception {
        int before = Abandoned.watched();
        for (int stream = 0; stream < 50; stream++) {
            abandon();
        }
        for (int wait = 0; wait < 100; wait++) {
            System.gc();
            Thread.sleep(20);
            abandon();
            if (Abandoned.watched() < before + 20) {
                return;
            }
        }
        throw new AssertionError("files stay open");
    }

    @SuppressWarnings("resource")
    private static void abandon() throws Exception {
        SecretKey key = Payloads.key(16);
        InputStream in = GcmInputStream.spooled(
                new ByteArrayInputStream(Payloads.sealed(key, new byte[10])), Spool.defaultDirectory(), key);
        if (in.read() != 0) {
            throw new IOException("another byte");
        }
    }
}
