package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.Provider;
import java.security.Security;
import java.util.Arrays;
import java.util.Collections;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** All others get the ciphers that they had before. */
final class SealmarkProviderTest {
    private static final SecretKey KEY = Payloads.key(16);
    private static final GCMParameterSpec PARAMETERS = new GCMParameterSpec(128, new byte[12]);

    @BeforeEach
    void install() {
        SealmarkProvider.install();
    }

    @AfterEach
    void uninstall() {
        SealmarkProvider.uninstall();
    }

    @Test
    void anUnrelatedUserGetsTheNextProvider() throws Exception {
        for (int mode : new int[] {Cipher.ENCRYPT_MODE, Cipher.DECRYPT_MODE}) {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(mode, KEY, PARAMETERS);
            assertEquals("SunJCE", cipher.getProvider().getName());
        }
        Cipher withoutParameters = Cipher.getInstance("AES/GCM/NoPadding");
        withoutParameters.init(Cipher.ENCRYPT_MODE, KEY);
        assertEquals("SunJCE", withoutParameters.getProvider().getName());
        for (String transformation : new String[] {"AES/CBC/PKCS5Padding", "AES/CTR/NoPadding", "AES", "RSA"}) {
            assertTrue(Cipher.getInstance(transformation).getProvider().getName().startsWith("Sun"), transformation);
        }
    }

    @Test
    void anUnrelatedUserGetsTheErrorsOfTheNextProvider() throws Exception {
        Key bad = new SecretKeySpec(new byte[20], "AES");
        String before = errorOf("SunJCE", bad);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        assertEquals(before, assertThrows(InvalidKeyException.class,
                () -> cipher.init(Cipher.ENCRYPT_MODE, bad, PARAMETERS)).getMessage());
        Cipher withoutTag = Cipher.getInstance("AES/GCM/NoPadding");
        assertThrows(InvalidAlgorithmParameterException.class,
                () -> withoutTag.init(Cipher.ENCRYPT_MODE, KEY, new IvParameterSpec(new byte[12])));
    }

    private static String errorOf(String provider, Key key) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", provider);
        return assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, key, PARAMETERS)).getMessage();
    }

    /** Asking for the block size first makes JCE take the first provider for good. */
    @Test
    void aUserWhoAsksFirstNoticesNothing() throws Exception {
        byte[] plaintext = Payloads.random(1, 1000);
        byte[] data = Payloads.random(2, 30);
        Cipher theirs = Cipher.getInstance("AES/GCM/NoPadding", "SunJCE");
        theirs.init(Cipher.ENCRYPT_MODE, KEY, PARAMETERS);
        theirs.updateAAD(data);
        byte[] expected = theirs.doFinal(plaintext);

        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        assertEquals(16, cipher.getBlockSize());
        cipher.init(Cipher.ENCRYPT_MODE, KEY, PARAMETERS);
        cipher.updateAAD(ByteBuffer.wrap(data));
        ByteBuffer out = ByteBuffer.allocate(cipher.getOutputSize(1000));
        cipher.update(ByteBuffer.wrap(plaintext, 0, 500), out);
        cipher.doFinal(ByteBuffer.wrap(plaintext, 500, 500), out);
        assertArrayEquals(expected, Arrays.copyOf(out.array(), out.position()));
        assertArrayEquals(new byte[12], cipher.getIV());
        assertEquals(128, cipher.getParameters().getParameterSpec(GCMParameterSpec.class).getTLen());
        assertThrows(GeneralSecurityException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, KEY, PARAMETERS), "used");

        cipher.init(Cipher.DECRYPT_MODE, KEY, PARAMETERS);
        cipher.updateAAD(data);
        byte[] half = cipher.update(expected, 0, 600);
        byte[] rest = cipher.doFinal(expected, 600, expected.length - 600);
        byte[] opened = Arrays.copyOf(half == null ? new byte[0] : half, plaintext.length);
        System.arraycopy(rest, 0, opened, plaintext.length - rest.length, rest.length);
        assertArrayEquals(plaintext, opened);

        cipher.init(Cipher.DECRYPT_MODE, KEY, PARAMETERS);
        cipher.updateAAD(data);
        assertThrows(GeneralSecurityException.class, () -> cipher.doFinal(Payloads.flipped(expected, 3)));
    }

    @Test
    void aUserWhoAsksFirstMayWrapKeys() throws Exception {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.getProvider();
        cipher.init(Cipher.WRAP_MODE, KEY, PARAMETERS);
        byte[] wrapped = cipher.wrap(Payloads.key(32));
        cipher.init(Cipher.UNWRAP_MODE, KEY, cipher.getParameters());
        assertEquals(Payloads.key(32), cipher.unwrap(wrapped, "AES", Cipher.SECRET_KEY));
        assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[3], "AES")));
    }

    @Test
    void aTlsConnectionUsesTheNextProvider() throws Exception {
        Security.insertProviderAt(new Watched(), 2);
        try (AttachmentSource waiting = AttachmentSource.spooled(
                new ByteArrayInputStream(Payloads.sealed(KEY, new byte[9])))) {
            assertEquals(12, waiting.read(new byte[12]));
            int before = Watched.INITIALIZATIONS.get();
            Tls.handshake(suite -> assertTrue(suite.contains("GCM"), suite));
            assertTrue(Watched.INITIALIZATIONS.get() > before, "JCE went on to the provider after ours");
        } finally {
            Security.removeProvider("Watched");
        }
    }

    @Test
    void aProviderThatIsNotFirstIsAnError() {
        SealmarkProvider.uninstall();
        Security.addProvider(new SealmarkProvider());
        assertThrows(IllegalStateException.class, SealmarkProvider::install);
        assertThrows(IllegalStateException.class, () -> new VerifyingAttachments(callbacks -> { }));
        SealmarkProvider.uninstall();
        assertThrows(IllegalStateException.class, () -> new VerifyingAttachments(callbacks -> { }));
    }

    @Test
    void theProviderOfAnotherClassLoaderIsAnError() {
        SealmarkProvider.uninstall();
        Security.insertProviderAt(new Namesake(), 1);
        assertTrue(assertThrows(IllegalStateException.class, SealmarkProvider::install).getMessage().contains("class loader"));
    }

    @Test
    void installingTwiceIsInstallingOnce() {
        SealmarkProvider.install();
        assertEquals(1, Collections.frequency(Arrays.asList(names()), SealmarkProvider.NAME));
        assertEquals(SealmarkProvider.NAME, names()[0]);
    }

    /** A source that nobody reads on leaves its thread as it was. */
    @Test
    void aForgottenSourceStopsNobody() throws Exception {
        AttachmentSource forgotten = AttachmentSource.spooled(new ByteArrayInputStream(Payloads.sealed(KEY, new byte[9])));
        assertEquals(12, forgotten.read(new byte[12]));
        anUnrelatedUserGetsTheNextProvider();
        anUnrelatedUserGetsTheErrorsOfTheNextProvider();
        aUserWhoAsksFirstNoticesNothing();
        forgotten.close();
    }

    /** Such a key ends its attachment, and the next user of the thread knows nothing of it. */
    @Test
    void aKeyThatWeCannotUseStopsNobodyElse() throws Exception {
        for (Key bad : new Key[] {new SecretKeySpec(new byte[20], "AES"), new DeviceKey()}) {
            AttachmentSource source = AttachmentSource.spooled(new ByteArrayInputStream(Payloads.sealed(KEY, new byte[9])));
            byte[] iv = new byte[12];
            assertEquals(12, source.read(iv));
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            assertThrows(InvalidKeyException.class,
                    () -> cipher.init(Cipher.DECRYPT_MODE, bad, new GCMParameterSpec(128, iv)));
            Cipher next = Cipher.getInstance("AES/GCM/NoPadding");
            assertEquals(16, next.getBlockSize());
            next.init(Cipher.ENCRYPT_MODE, KEY, PARAMETERS);
            String message = assertThrows(IOException.class, source::read).getMessage();
            assertTrue(message.startsWith("the attachment's key cannot be used: "), message);
        }
    }

    /** It keeps its bytes in a device. */
    private static final class DeviceKey implements SecretKey {
        private static final long serialVersionUID = 1;

        @Override
        public String getAlgorithm() {
            return "AES";
        }

        @Override
        public String getFormat() {
            return null;
        }

        @Override
        public byte[] getEncoded() {
            return null;
        }
    }

    private static String[] names() {
        return Arrays.stream(Security.getProviders()).map(Provider::getName).toArray(String[]::new);
    }

    @SuppressWarnings("deprecation")
    private static final class Namesake extends Provider {
        private static final long serialVersionUID = 1;

        Namesake() {
            super(SealmarkProvider.NAME, 1, "another one");
        }
    }
}
