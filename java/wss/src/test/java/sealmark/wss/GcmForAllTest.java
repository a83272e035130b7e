package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Security;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The provider as everyone's, and the contract of {@link Cipher}. */
final class GcmForAllTest {
    private static final byte[] IV = Payloads.random(5, Gcm.IV);
    private static final SecretKey KEY = Payloads.key(16);
    private static final byte[] DATA = Payloads.random(6, 45);

    @BeforeEach
    void install() {
        SealmarkProvider.installForAll();
    }

    @AfterEach
    void uninstall() {
        SealmarkProvider.uninstall();
    }

    /** Vectors of other lengths than 12 bytes go to the next provider, so that their users get the right bytes, too. */
    @Test
    void wycheproof() throws Exception {
        int ours = 0;
        int all = 0;
        try (InputStream in = GcmForAllTest.class.getResourceAsStream("aes_gcm.txt");
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("#")) {
                    ours += vector(line.split(" ", -1)) ? 1 : 0;
                    all++;
                }
            }
        }
        assertEquals(316, all);
        assertEquals(197, ours);
    }

    /** True if the provider served it. */
    private static boolean vector(String[] fields) throws Exception {
        SecretKey key = new SecretKeySpec(bytes(fields[1]), "AES");
        byte[] iv = bytes(fields[2]);
        byte[] data = bytes(fields[3]);
        byte[] plaintext = bytes(fields[4]);
        byte[] sealed = bytes(fields[5]);
        boolean isValid = fields[0].equals("valid");
        String name = String.join(" ", fields);
        if (iv.length == 0) {
            // Not all JDKs refuse it.
            return false;
        }
        Cipher opening = cipher(Cipher.DECRYPT_MODE, key, iv, data);
        if (isValid) {
            assertArrayEquals(plaintext, inParts(opening, sealed, 7), name);
            assertArrayEquals(sealed, inParts(cipher(Cipher.ENCRYPT_MODE, key, iv, data), plaintext, 7), name);
        } else {
            assertThrows(AEADBadTagException.class, () -> opening.doFinal(sealed), name);
        }
        boolean isOurs = opening.getProvider() instanceof SealmarkProvider;
        assertEquals(iv.length == Gcm.IV, isOurs, name);
        return isOurs;
    }

    private static byte[] bytes(String hex) {
        byte[] bytes = new byte[hex.length() / 2];
        for (int at = 0; at < bytes.length; at++) {
            bytes[at] = (byte) Integer.parseInt(hex.substring(2 * at, 2 * at + 2), 16);
        }
        return bytes;
    }

    private static Cipher cipher(int mode, SecretKey key, byte[] iv, byte[] data) throws GeneralSecurityException {
        return cipher(mode, key, iv, data, null);
    }

    private static Cipher cipher(int mode, SecretKey key, byte[] iv, byte[] data, String provider)
            throws GeneralSecurityException {
        Cipher cipher = provider == null ? Cipher.getInstance("AES/GCM/NoPadding")
                : Cipher.getInstance("AES/GCM/NoPadding", provider);
        cipher.init(mode, key, new GCMParameterSpec(128, iv));
        cipher.updateAAD(data);
        return cipher;
    }

    private static byte[] inParts(Cipher cipher, byte[] text, int step) throws GeneralSecurityException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int at = 0; at < text.length; at += step) {
            byte[] part = cipher.update(text, at, Math.min(step, text.length - at));
            if (part != null) {
                out.write(part, 0, part.length);
            }
        }
        byte[] last = cipher.doFinal();
        out.write(last, 0, last.length);
        return out.toByteArray();
    }

    @Test
    void eachLengthIsTheOneOfTheJdk() throws Exception {
        for (byte[] data : new byte[][] {DATA, new byte[0]}) {
            for (int length : Payloads.LENGTHS) {
                byte[] plaintext = Payloads.random(length, length);
                byte[] sealed = cipher(Cipher.ENCRYPT_MODE, KEY, IV, data, "SunJCE").doFinal(plaintext);
                for (int step : new int[] {1000, 8192, Gcm.PIECE, 1 << 20}) {
                    assertArrayEquals(sealed, inParts(cipher(Cipher.ENCRYPT_MODE, KEY, IV, data), plaintext, step));
                    assertArrayEquals(plaintext, inParts(cipher(Cipher.DECRYPT_MODE, KEY, IV, data), sealed, step));
                }
            }
        }
    }

    @Test
    void noPlaintextComesBeforeTheTagIsVerified() throws Exception {
        byte[] sealed = cipher(Cipher.ENCRYPT_MODE, KEY, IV, DATA).doFinal(Payloads.random(1, 200_000));
        for (int bit : new int[] {0, 8 * 131_072, 8 * 199_999, 8 * 200_000, 8 * sealed.length - 1}) {
            Cipher cipher = cipher(Cipher.DECRYPT_MODE, KEY, IV, DATA);
            assertNull(cipher.update(Payloads.flipped(sealed, bit)));
            byte[] out = new byte[200_000];
            assertThrows(AEADBadTagException.class, () -> cipher.doFinal(out, 0));
            assertArrayEquals(new byte[200_000], out);
        }
        Cipher otherData = cipher(Cipher.DECRYPT_MODE, KEY, IV, Payloads.flipped(DATA, 3));
        assertThrows(AEADBadTagException.class, () -> otherData.doFinal(sealed));
        Cipher tooShort = cipher(Cipher.DECRYPT_MODE, KEY, IV, DATA);
        assertThrows(AEADBadTagException.class, () -> tooShort.doFinal(sealed, 0, 15));
    }

    /** The JDK's stream asks before each part, and makes a new buffer if the old one is shorter than the answer. */
    @Test
    void fewBuffersAreEnoughForAStream() throws Exception {
        Cipher cipher = cipher(Cipher.DECRYPT_MODE, KEY, IV, DATA);
        byte[] part = new byte[8192];
        int room = 0;
        int buffers = 0;
        int parts = 2000;
        for (int number = 1; number <= parts; number++) {
            int needed = cipher.getOutputSize(part.length);
            assertTrue(needed >= number * part.length - Gcm.TAG, needed + " after " + number);
            if (needed > room) {
                room = needed;
                buffers++;
            }
            cipher.update(part);
        }
        assertTrue(buffers < 60, buffers + " buffers");
        assertTrue(room <= parts * part.length / 4 * 5, room + " bytes");
    }

    @Test
    void associatedDataComeInPartsAndBeforeTheText() throws Exception {
        byte[] sealed = cipher(Cipher.ENCRYPT_MODE, KEY, IV, DATA, "SunJCE").doFinal(new byte[20]);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, KEY, new GCMParameterSpec(128, IV));
        cipher.updateAAD(DATA, 0, 1);
        cipher.updateAAD(ByteBuffer.wrap(DATA, 1, 20));
        cipher.updateAAD(direct(DATA, 21, 24));
        byte[] start = cipher.update(new byte[17]);
        assertEquals(16, start.length);
        assertThrows(IllegalStateException.class, () -> cipher.updateAAD(DATA));
        byte[] rest = cipher.doFinal(new byte[3]);
        assertArrayEquals(Arrays.copyOfRange(sealed, 16, sealed.length), rest);
    }

    private static ByteBuffer direct(byte[] bytes, int offset, int length) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(length);
        buffer.put(bytes, offset, length);
        buffer.flip();
        return buffer;
    }

    @Test
    void noVectorEncryptsTwice() throws Exception {
        Cipher cipher = cipher(Cipher.ENCRYPT_MODE, KEY, IV, DATA);
        cipher.doFinal(new byte[20]);
        assertThrows(IllegalStateException.class, () -> cipher.update(new byte[1]));
        assertThrows(IllegalStateException.class, () -> cipher.doFinal(new byte[1]));
        assertThrows(IllegalStateException.class, () -> cipher.updateAAD(new byte[1]));
        for (int length : new int[] {128, 120}) {
            assertThrows(InvalidAlgorithmParameterException.class,
                    () -> cipher.init(Cipher.ENCRYPT_MODE, KEY, new GCMParameterSpec(length, IV)));
        }
        cipher.init(Cipher.ENCRYPT_MODE, Payloads.key(32), new GCMParameterSpec(128, IV));
        cipher.doFinal(new byte[20]);
        cipher.init(Cipher.ENCRYPT_MODE, KEY, new GCMParameterSpec(128, Payloads.flipped(IV, 1)));
        cipher.doFinal(new byte[20]);

        Cipher random = Cipher.getInstance("AES/GCM/NoPadding");
        random.init(Cipher.ENCRYPT_MODE, KEY);
        byte[] first = random.getIV();
        byte[] sealed = random.doFinal(new byte[20]);
        assertArrayEquals(first, random.getParameters().getParameterSpec(GCMParameterSpec.class).getIV());
        random.init(Cipher.DECRYPT_MODE, KEY, random.getParameters());
        assertArrayEquals(new byte[20], random.doFinal(sealed));
        random.init(Cipher.ENCRYPT_MODE, KEY);
        assertFalse(Arrays.equals(first, random.getIV()));
    }

    @Test
    void aDecryptionMayBeRepeated() throws Exception {
        byte[] sealed = cipher(Cipher.ENCRYPT_MODE, KEY, IV, DATA).doFinal(new byte[20]);
        Cipher cipher = cipher(Cipher.DECRYPT_MODE, KEY, IV, DATA);
        assertArrayEquals(new byte[20], cipher.doFinal(sealed));
        cipher.updateAAD(DATA);
        assertThrows(AEADBadTagException.class, () -> cipher.doFinal(Payloads.flipped(sealed, 9)));
        cipher.updateAAD(DATA);
        assertArrayEquals(new byte[20], cipher.doFinal(sealed));
    }

    @Test
    void anOutputThatIsTooShortLosesNothing() throws Exception {
        byte[] sealed = cipher(Cipher.ENCRYPT_MODE, KEY, IV, DATA).doFinal(Payloads.random(1, 40));
        Cipher sealing = cipher(Cipher.ENCRYPT_MODE, KEY, IV, DATA);
        byte[] out = new byte[sealed.length];
        assertThrows(ShortBufferException.class, () -> sealing.update(Payloads.random(1, 40), 0, 40, out, out.length - 31));
        assertEquals(32, sealing.update(Payloads.random(1, 40), 0, 40, out, 0));
        assertThrows(ShortBufferException.class, () -> sealing.doFinal(out, 33));
        assertEquals(24, sealing.doFinal(out, 32));
        assertArrayEquals(sealed, out);

        Cipher opening = cipher(Cipher.DECRYPT_MODE, KEY, IV, DATA);
        assertTrue(opening.getOutputSize(sealed.length) >= 40);
        assertThrows(ShortBufferException.class, () -> opening.doFinal(sealed, 0, sealed.length, new byte[39], 0));
        assertThrows(ShortBufferException.class, () -> opening.doFinal(ByteBuffer.wrap(sealed), ByteBuffer.allocate(39)));
        byte[] opened = new byte[40];
        assertEquals(40, opening.doFinal(sealed, 0, sealed.length, opened, 0));
        assertArrayEquals(Payloads.random(1, 40), opened);
    }

    @Test
    void buffersMayOverlapAndLieOutsideOfTheHeap() throws Exception {
        byte[] plaintext = Payloads.random(1, 1000);
        byte[] sealed = cipher(Cipher.ENCRYPT_MODE, KEY, IV, DATA, "SunJCE").doFinal(plaintext);
        for (boolean isDirect : new boolean[] {false, true}) {
            ByteBuffer memory = isDirect ? ByteBuffer.allocateDirect(1100) : ByteBuffer.allocate(1100);
            memory.put(plaintext).position(0);
            ByteBuffer in = memory.duplicate();
            in.limit(1000);
            ByteBuffer out = memory.duplicate();
            // The output is ahead of the input.
            out.position(3);
            Cipher sealing = cipher(Cipher.ENCRYPT_MODE, KEY, IV, DATA);
            assertEquals(1016, sealing.doFinal(in, out));
            assertEquals(0, in.remaining());
            memory.position(3);
            byte[] found = new byte[1016];
            memory.get(found);
            assertArrayEquals(sealed, found);

            ByteBuffer again = memory.duplicate();
            again.limit(1019).position(3);
            ByteBuffer opened = memory.duplicate();
            opened.position(0);
            Cipher opening = cipher(Cipher.DECRYPT_MODE, KEY, IV, DATA);
            assertEquals(0, opening.update(again, ByteBuffer.allocate(0)));
            assertEquals(1000, opening.doFinal(ByteBuffer.allocate(0), opened));
            found = new byte[1000];
            memory.position(0);
            memory.get(found);
            assertArrayEquals(plaintext, found);
        }
        byte[] array = Arrays.copyOf(plaintext, 1016);
        assertEquals(1016, cipher(Cipher.ENCRYPT_MODE, KEY, IV, DATA).doFinal(array, 0, 1000, array, 0));
        assertArrayEquals(sealed, array);
        assertEquals(1000, cipher(Cipher.DECRYPT_MODE, KEY, IV, DATA).doFinal(array, 0, 1016, array, 0));
        assertArrayEquals(plaintext, Arrays.copyOf(array, 1000));
    }

    @Test
    void othersGoToTheNextProvider() throws Exception {
        Cipher shortTag = Cipher.getInstance("AES/GCM/NoPadding");
        shortTag.init(Cipher.ENCRYPT_MODE, KEY, new GCMParameterSpec(96, IV));
        assertEquals("SunJCE", shortTag.getProvider().getName());
        Cipher wrapping = Cipher.getInstance("AES/GCM/NoPadding");
        wrapping.init(Cipher.WRAP_MODE, KEY, new GCMParameterSpec(128, IV));
        assertEquals("SunJCE", wrapping.getProvider().getName());
        Cipher badKey = Cipher.getInstance("AES/GCM/NoPadding");
        assertThrows(InvalidKeyException.class,
                () -> badKey.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[20], "AES"), new GCMParameterSpec(128, IV)));
        Cipher withoutVector = Cipher.getInstance("AES/GCM/NoPadding");
        assertThrows(InvalidKeyException.class, () -> withoutVector.init(Cipher.DECRYPT_MODE, KEY));
    }

    @Test
    void aTlsConnectionUsesIt() throws Exception {
        Security.insertProviderAt(new Watched(), 2);
        try {
            int before = Watched.INITIALIZATIONS.get();
            Tls.handshake(suite -> assertTrue(suite.contains("GCM"), suite));
            assertEquals(before, Watched.INITIALIZATIONS.get());
        } finally {
            Security.removeProvider("Watched");
        }
    }

    /** A thread with an attachment gives the cipher to it, whoever else is served. */
    @Test
    void anAttachmentComesFirst() throws Exception {
        byte[] plaintext = Payloads.random(1, 300_000);
        try (AttachmentSource source = AttachmentSource.spooled(new ByteArrayInputStream(Payloads.sealed(KEY, plaintext)))) {
            byte[] iv = new byte[Gcm.IV];
            assertEquals(Gcm.IV, source.read(iv));
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(Cipher.DECRYPT_MODE, KEY, new GCMParameterSpec(128, iv));
            byte[] part = new byte[1000];
            assertEquals(1000, source.read(part));
            assertArrayEquals(Arrays.copyOf(plaintext, 1000), cipher.update(part));
        }
    }

    @Test
    void theProviderStaysForAllOnceItIs() throws IOException, GeneralSecurityException {
        SealmarkProvider.install();
        Cipher cipher = cipher(Cipher.ENCRYPT_MODE, KEY, IV, DATA);
        assertTrue(cipher.getProvider() instanceof SealmarkProvider);
        SealmarkProvider.uninstall();
        SealmarkProvider.install();
        assertEquals("SunJCE", cipher(Cipher.ENCRYPT_MODE, KEY, IV, DATA).getProvider().getName());
        SealmarkProvider.installForAll();
        assertTrue(cipher(Cipher.ENCRYPT_MODE, KEY, IV, DATA).getProvider() instanceof SealmarkProvider);
    }
}
