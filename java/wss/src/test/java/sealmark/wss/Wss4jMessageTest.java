package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.wss.Payloads.assertNotAuthentic;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.wss4j.common.ext.WSSecurityException;
import org.apache.wss4j.dom.engine.WSSConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole messages through Apache WSS4J: {@code EncryptionUtils}, {@code AttachmentUtils} and the signature's transforms. */
final class Wss4jMessageTest {
    private static final byte[] INVOICE = Payloads.random(1, 300_000);
    private static final byte[] IMAGE = Payloads.random(2, 40_000);
    private static Messages messages;

    @TempDir
    Path directory;

    @BeforeAll
    static void install() throws Exception {
        SealmarkProvider.install();
        messages = new Messages();
    }

    @AfterAll
    static void uninstall() {
        SealmarkProvider.uninstall();
    }

    @Test
    void theVersionIsTheOneThatTheBuildNames() {
        assertEquals(System.getProperty("sealmark.wss4j"), WSSConfig.class.getPackage().getImplementationVersion());
    }

    @Test
    void attachmentsOpenInEachForm() throws Exception {
        for (String algorithm : new String[] {Messages.AES_128_GCM, Messages.AES_256_GCM}) {
            for (String modifier : new String[] {"Content", "Element"}) {
                for (boolean isSigned : new boolean[] {false, true}) {
                    Messages.Message message = messages.sealed(algorithm, modifier, isSigned, two());
                    Watch invoice = new Watch(message.attachments.get("invoice"));
                    Messages.Application application = received(message, invoice);
                    try (InputStream in = application.get("invoice")) {
                        assertEquals(INVOICE[0] & 0xff, in.read());
                        assertTrue(invoice.isClosed, "all of it was read and verified before the first byte");
                        byte[] rest = Payloads.all(in);
                        assertArrayEquals(Arrays.copyOfRange(INVOICE, 1, INVOICE.length), rest);
                    }
                    assertArrayEquals(IMAGE, Payloads.all(application.get("image")));
                    assertTrue(message.envelope.getDocumentElement().getTextContent().contains("1"));
                }
            }
        }
        assertEquals(0, directory.toFile().list().length);
    }

    /** The way into stacks that make their handler themselves. */
    @Test
    void aConfigurationWithOurProcessorsNeedsNoHandlerOfOurs() throws Exception {
        for (boolean isSigned : new boolean[] {false, true}) {
            Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Content", isSigned, two());
            Watch invoice = new Watch(message.attachments.get("invoice"));
            Messages.Application application = new Messages.Application();
            application.put("image", new ByteArrayInputStream(message.attachments.get("image")));
            application.put("invoice", invoice);
            WSSConfig config = WSSConfig.getNewInstance();
            VerifyingProcessor.install(config);
            messages.receive(message.envelope, application, config);
            try (InputStream in = application.get("invoice")) {
                assertEquals(INVOICE[0] & 0xff, in.read());
                assertTrue(invoice.isClosed, "all of it was read and verified before the first byte");
                assertEquals(INVOICE.length - 1, Payloads.all(in).length);
            }
        }
    }

    @Test
    void ofAForgeryNothingIsReleased() throws Exception {
        Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Content", false, two());
        byte[] sealed = message.attachments.get("invoice");
        for (int at = 0; at < sealed.length; at += 29_989) {
            assertNothingReleased(Payloads.flipped(sealed, 8 * at + 3));
        }
        assertNothingReleased(Payloads.flipped(sealed, 8 * sealed.length - 1));
        assertNothingReleased(Arrays.copyOf(sealed, sealed.length - 1));
        assertNothingReleased(Arrays.copyOf(sealed, 200));
    }

    private void assertNothingReleased(byte[] sealed) throws Exception {
        Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Content", false, two());
        Messages.Application application = received(message, new Watch(sealed));
        assertRefused(application.get("invoice"));
        assertArrayEquals(IMAGE, Payloads.all(application.get("image")), "the other one is authentic");
    }

    private static void assertRefused(InputStream in) throws Exception {
        ByteArrayOutputStream released = new ByteArrayOutputStream();
        assertNotAuthentic(() -> Payloads.copy(in, released));
        assertEquals(0, released.size());
        in.close();
    }

    /** Each position of a short one. */
    @Test
    void aFlippedBitAnywhereIsRefused() throws Exception {
        Map<String, byte[]> one = new LinkedHashMap<>();
        one.put("note", Payloads.random(9, 5));
        for (int at = 0; at < Gcm.IV + 5 + Gcm.TAG; at++) {
            Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Content", false, one);
            Messages.Application application = new Messages.Application();
            byte[] flipped = Payloads.flipped(message.attachments.get("note"), 8 * at + at % 8);
            application.put("note", new ByteArrayInputStream(flipped));
            messages.receive(message.envelope, new VerifyingAttachments(application, directory));
            assertRefused(application.get("note"));
        }
    }

    @Test
    void swappedAttachmentsOfTwoMessagesAreRefused() throws Exception {
        Messages.Message first = messages.sealed(Messages.AES_128_GCM, "Content", false, two());
        Messages.Message second = messages.sealed(Messages.AES_128_GCM, "Content", false, two());
        assertRefused(received(first, new Watch(second.attachments.get("invoice"))).get("invoice"));
    }

    /** WSS4J reads the headers at once, so that the message fails. */
    @Test
    void aForgeryWithHeadersFailsTheMessage() throws Exception {
        Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Element", false, two());
        byte[] forged = Payloads.flipped(message.attachments.get("invoice"), 8 * 299_000);
        assertEquals(WSSecurityException.ErrorCode.FAILED_CHECK,
                assertThrows(WSSecurityException.class, () -> received(message, new Watch(forged))).getErrorCode());
    }

    @Test
    void aSignedForgeryFailsTheMessage() throws Exception {
        Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Content", true, two());
        byte[] forged = Payloads.flipped(message.attachments.get("invoice"), 8 * 1000);
        assertThrows(WSSecurityException.class, () -> received(message, new Watch(forged)));
    }

    /** It has no tag, so that nobody can verify it. */
    @Test
    void anAttachmentInCbcIsTheApplicationsOwn() throws Exception {
        Messages.Message message = messages.sealed(Messages.AES_128_CBC, "Content", true, two());
        Watch invoice = new Watch(message.attachments.get("invoice"));
        Messages.Application application = received(message, invoice);
        assertArrayEquals(INVOICE, Payloads.all(application.get("invoice")));
        assertFalse(invoice.isClosed, "no spool was made");
    }

    private Messages.Application received(Messages.Message message, Watch invoice) throws Exception {
        Messages.Application application = new Messages.Application();
        application.put("image", new ByteArrayInputStream(message.attachments.get("image")));
        application.put("invoice", invoice);
        messages.receive(message.envelope, new VerifyingAttachments(application, directory));
        return application;
    }

    private static Map<String, byte[]> two() {
        Map<String, byte[]> attachments = new LinkedHashMap<>();
        attachments.put("invoice", INVOICE);
        attachments.put("image", IMAGE);
        return attachments;
    }

    /** Tells if the spool has all of it. */
    private static final class Watch extends ByteArrayInputStream {
        private boolean isClosed;

        Watch(byte[] bytes) {
            super(bytes);
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }
}
