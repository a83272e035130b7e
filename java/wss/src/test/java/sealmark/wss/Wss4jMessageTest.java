package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.wss.Payloads.assertNotAuthentic;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import javax.security.auth.callback.CallbackHandler;
import org.apache.wss4j.common.ext.Attachment;
import org.apache.wss4j.common.ext.AttachmentRequestCallback;
import org.apache.wss4j.common.ext.WSSecurityException;
import org.apache.wss4j.dom.WSConstants;
import org.apache.wss4j.dom.engine.WSSConfig;
import org.apache.wss4j.dom.processor.Processor;
import org.apache.wss4j.stax.Caller;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

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

    @Test
    @EnabledOnOs(OS.LINUX)
    void theSpoolHasCiphertextAlone() throws Exception {
        Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Content", false, two());
        byte[] sealed = message.attachments.get("invoice");
        try (InputStream in = received(message, new Watch(sealed)).get("invoice")) {
            for (int at = 0; at < INVOICE.length; at++) {
                assertEquals(INVOICE[at] & 0xff, in.read());
                if (at % 50_000 == 0) {
                    List<byte[]> spools = Payloads.unnamed(directory);
                    assertEquals(1, spools.size(), "the other attachment was not read");
                    assertArrayEquals(sealed, spools.get(0));
                }
            }
        }
        assertEquals(0, Payloads.unnamed(directory).size());
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

    /** The page says so: they have one key, and the tag covers no name. */
    @Test
    void swappedAttachmentsOfOneMessageOpenUnlessTheyAreSigned() throws Exception {
        for (boolean isSigned : new boolean[] {false, true}) {
            Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Content", isSigned, two());
            byte[] image = message.attachments.get("image");
            message.attachments.put("image", message.attachments.put("invoice", image));
            Messages.Application application = application(message);
            VerifyingAttachments handler = new VerifyingAttachments(application, directory);
            if (isSigned) {
                assertEquals(WSSecurityException.ErrorCode.FAILED_CHECK,
                        assertThrows(WSSecurityException.class, () -> messages.receive(message.envelope, handler)).getErrorCode());
            } else {
                messages.receive(message.envelope, handler);
                assertArrayEquals(IMAGE, Payloads.all(application.get("invoice")));
                assertArrayEquals(INVOICE, Payloads.all(application.get("image")));
            }
        }
    }

    /** Stacks that do not look at the error of a stream need no more than that. */
    @Test
    void aForgeryFailsTheMessageIfItIsVerifiedAtOnce() throws Exception {
        for (byte[] invoice : new byte[][] {INVOICE, new byte[0]}) {
            Messages.Message message =
                    messages.sealed(Messages.AES_128_GCM, "Content", false, Collections.singletonMap("invoice", invoice));
            byte[] sealed = message.attachments.get("invoice");
            Messages.Application application = new Messages.Application();
            application.put("invoice", new ByteArrayInputStream(sealed));
            messages.receive(message.envelope, new VerifyingAttachments(application, directory).verifyAtOnce());
            assertArrayEquals(invoice, Payloads.all(application.get("invoice")));

            Messages.Message forged =
                    messages.sealed(Messages.AES_128_GCM, "Content", false, Collections.singletonMap("invoice", invoice));
            InputStream flipped = new ByteArrayInputStream(Payloads.flipped(forged.attachments.get("invoice"), 8 * Gcm.IV));
            application.put("invoice", flipped);
            WSSecurityException error = assertThrows(WSSecurityException.class, () -> messages.receive(
                    forged.envelope, new VerifyingAttachments(application, directory).verifyAtOnce()));
            assertEquals(WSSecurityException.ErrorCode.FAILED_CHECK, error.getErrorCode());
            assertNotAuthentic(() -> {
                throw error.getCause();
            });
            assertSame(flipped, application.get("invoice"), "nothing decrypted was delivered");
        }
        assertEquals(0, directory.toFile().list().length);
    }

    /** A sender must not fill the disk. */
    @Test
    void anAttachmentBeyondTheLimitIsRefusedAndItsFileIsGone() throws Exception {
        for (int more = 0; more < 2; more++) {
            Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Content", false, two());
            byte[] sealed = message.attachments.get("invoice");
            Messages.Application application = application(message, new Watch(sealed));
            messages.receive(message.envelope,
                    new VerifyingAttachments(application, directory).spoolAtMost(sealed.length - more));
            InputStream in = application.get("invoice");
            if (more == 0) {
                assertArrayEquals(INVOICE, Payloads.all(in));
            } else {
                String refusal = assertThrows(IOException.class, in::read).getMessage();
                assertTrue(refusal.contains("the limit that this receiver has set with spoolAtMost"), refusal);
            }
            assertArrayEquals(IMAGE, Payloads.all(application.get("image")));
            assertEquals(0, directory.toFile().list().length);
        }
        VerifyingAttachments handler = new VerifyingAttachments(new Messages.Application(), directory);
        assertThrows(IllegalArgumentException.class, () -> handler.spoolAtMost(0));
        assertThrows(IllegalArgumentException.class, () -> handler.spoolAtMost(1L << 37));
    }

    /** A sender must not fill the process with open files until the next garbage collection. */
    @Test
    void aRefusedAttachmentClosesThoseThatWereVerifiedBefore() throws Exception {
        for (String modifier : new String[] {"Content", "Element"}) {
            Messages.Message message = messages.sealed(Messages.AES_128_GCM, modifier, false, several(5, 40_000));
            byte[] last = message.attachments.get("4");
            message.attachments.put("4", Payloads.flipped(last, 8 * 30_000));
            Messages.Application application = application(message);
            VerifyingAttachments handler = new VerifyingAttachments(application, directory).verifyAtOnce();
            WSSecurityException error =
                    assertThrows(WSSecurityException.class, () -> messages.receive(message.envelope, handler));
            assertEquals(WSSecurityException.ErrorCode.FAILED_CHECK, error.getErrorCode());
            for (String id : Arrays.asList("0", "1", "2", "3")) {
                IOException closed = assertThrows(IOException.class, () -> Payloads.all(application.get(id)));
                assertTrue(closed.toString().contains("the attachment is closed"), closed.toString());
            }
            Messages.Message next = messages.sealed(Messages.AES_128_GCM, modifier, false, several(1, 5));
            next.attachments.forEach((id, sealed) -> application.put(id, new ByteArrayInputStream(sealed)));
            assertServesOneMessage(assertThrows(WSSecurityException.class, () -> messages.receive(next.envelope, handler)));
        }
    }

    /** If its message failed, the attachments of the first one would be closed. */
    @Test
    void aHandlerThatVerifiesAtOnceRefusesTheMessageOfAnotherThread() throws Exception {
        Messages.Message first = messages.sealed(Messages.AES_128_GCM, "Content", false, several(1, 40_000));
        Messages.Message second = messages.sealed(Messages.AES_128_GCM, "Content", false, several(1, 5));
        Messages.Application application = application(first);
        VerifyingAttachments shared = new VerifyingAttachments(application, directory).verifyAtOnce();
        messages.receive(first.envelope, shared);
        InputStream opened = application.get("0");
        second.attachments.forEach((id, sealed) -> application.put(id, new ByteArrayInputStream(sealed)));
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Future<?> other = pool.submit(() -> {
            messages.receive(second.envelope, shared);
            return null;
        });
        pool.shutdown();
        assertServesOneMessage(assertThrows(ExecutionException.class, other::get).getCause());
        assertArrayEquals(Payloads.random(0, 40_000), Payloads.all(opened));
    }

    private static void assertServesOneMessage(Throwable error) {
        assertTrue(String.valueOf(error.getCause()).contains("serves one message with verifyAtOnce()"), error.toString());
    }

    @Test
    void aMessageMayHaveALimitedNumberOfOpenAttachments() throws Exception {
        Messages.Application application = new Messages.Application();
        VerifyingAttachments handler = new VerifyingAttachments(application, directory).verifyAtOnce();
        for (int time = 0; time < 2; time++) {
            Messages.Message message =
                    messages.sealed(Messages.AES_128_GCM, "Content", false, several(VerifyingAttachments.MAX_OPEN, 5));
            message.attachments.forEach((id, sealed) -> application.put(id, new ByteArrayInputStream(sealed)));
            messages.receive(message.envelope, handler);
            for (String id : message.attachments.keySet()) {
                assertEquals(5, Payloads.all(application.get(id)).length, "those that were read count no more");
            }
        }
        Messages.Message message =
                messages.sealed(Messages.AES_128_GCM, "Content", false, several(VerifyingAttachments.MAX_OPEN + 1, 20_000));
        Messages.Application its = application(message);
        WSSecurityException error = assertThrows(WSSecurityException.class, () -> messages.receive(
                message.envelope, new VerifyingAttachments(its, directory).verifyAtOnce()));
        assertTrue(String.valueOf(error.getCause()).contains("more than 256 attachments"), error + " " + error.getCause());
        assertThrows(IOException.class, () -> Payloads.all(its.get("0")), "those of a message that failed are closed");

        Messages.Message later =
                messages.sealed(Messages.AES_128_GCM, "Content", false, several(VerifyingAttachments.MAX_OPEN + 1, 5));
        Messages.Application lazy = application(later);
        messages.receive(later.envelope, new VerifyingAttachments(lazy, directory));
        assertEquals(5, Payloads.all(lazy.get("256")).length, "one that is opened when it is read needs no limit");
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
    void anAttachmentInCbcFailsTheMessageUnlessItIsAllowed() throws Exception {
        Messages.Message message = messages.sealed(Messages.AES_128_CBC, "Content", true, two());
        assertRefused(message, message.attachments.get("invoice"));

        message = messages.sealed(Messages.AES_128_CBC, "Content", true, two());
        Watch invoice = new Watch(message.attachments.get("invoice"));
        Messages.Application application = application(message, invoice);
        messages.receive(message.envelope, new VerifyingAttachments(application, directory).allowOtherCiphers());
        assertArrayEquals(INVOICE, Payloads.all(application.get("invoice")));
        assertFalse(invoice.isClosed, "no spool was made");

        message = messages.sealed(Messages.AES_128_CBC, "Content", true, two());
        application = application(message, new Watch(message.attachments.get("invoice")));
        WSSConfig config = WSSConfig.getNewInstance();
        VerifyingProcessor.processors(handler -> new VerifyingAttachments(handler, directory).allowOtherCiphers())
                .forEach((element, processor) -> config.setProcessor(element, (Processor) processor));
        messages.receive(message.envelope, application, config);
        assertArrayEquals(INVOICE, Payloads.all(application.get("invoice")));
    }

    /** CBC would decrypt the text of GCM to bytes that nobody has verified, and needs no key to be named. */
    @Test
    void anAlgorithmThatWasRewrittenFailsTheMessage() throws Exception {
        for (String modifier : new String[] {"Content", "Element"}) {
            Messages.Message message = messages.sealed(Messages.AES_128_GCM, modifier, false, two());
            rewrite(message);
            assertRefused(message, message.attachments.get("invoice"));

            Messages.Message second = messages.sealed(Messages.AES_128_GCM, modifier, false, two());
            rewrite(second);
            Messages.Application application = application(second, new Watch(second.attachments.get("invoice")));
            WSSConfig config = WSSConfig.getNewInstance();
            VerifyingProcessor.install(config);
            assertThrows(WSSecurityException.class, () -> messages.receive(second.envelope, application, config));
        }
    }

    @Test
    void aSuiteOfGcmAloneOpensGcmAndRefusesCbc() throws Exception {
        Messages.Message message = messages.sealed(Messages.AES_256_GCM, "Content", true, two());
        Messages.Application application = application(message, new Watch(message.attachments.get("invoice")));
        messages.receiveGcmOnly(message.envelope, new VerifyingAttachments(application, directory));
        assertArrayEquals(INVOICE, Payloads.all(application.get("invoice")));

        Messages.Message other = messages.sealed(Messages.AES_128_CBC, "Content", true, two());
        Messages.Application its = application(other, new Watch(other.attachments.get("invoice")));
        assertThrows(WSSecurityException.class, () -> messages.receiveGcmOnly(
                other.envelope, new VerifyingAttachments(its, directory).allowOtherCiphers()));
    }

    private void assertRefused(Messages.Message message, byte[] sealed) throws Exception {
        Watch invoice = new Watch(sealed);
        Messages.Application application = application(message, invoice);
        WSSecurityException error = assertThrows(WSSecurityException.class,
                () -> messages.receive(message.envelope, new VerifyingAttachments(application, directory)));
        assertEquals(WSSecurityException.ErrorCode.FAILED_CHECK, error.getErrorCode());
        String text = error + " " + error.getCause();
        assertTrue(text.contains("AES/CBC/ISO10126Padding") && text.contains("allowOtherCiphers()"), text);
        assertSame(invoice, application.get("invoice"), "nothing decrypted was delivered");
        assertEquals(sealed.length, invoice.available(), "nothing was read");
    }

    private static void rewrite(Messages.Message message) {
        NodeList all = message.envelope.getElementsByTagNameNS(WSConstants.ENC_NS, "EncryptionMethod");
        int rewritten = 0;
        for (int index = 0; index < all.getLength(); index++) {
            Element method = (Element) all.item(index);
            if (((Element) method.getParentNode()).getAttributeNS(null, "Type").contains("SwAProfile")) {
                method.setAttributeNS(null, "Algorithm", Messages.AES_128_CBC);
                rewritten++;
            }
        }
        assertEquals(2, rewritten);
    }

    /** A handler around ours may look at the stream, or put a buffer around it. */
    @Test
    void aHandlerAroundOursMayAskForTheStreamFirst() throws Exception {
        for (boolean replaces : new boolean[] {false, true}) {
            Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Content", false, two());
            Watch invoice = new Watch(message.attachments.get("invoice"));
            Messages.Application application = around(message, invoice, attachment -> {
                InputStream early = attachment.getSourceStream();
                if (replaces) {
                    attachment.setSourceStream(new SequenceInputStream(early, new ByteArrayInputStream(new byte[0])));
                }
                return attachment;
            });
            try (InputStream in = application.get("invoice")) {
                assertEquals(INVOICE[0] & 0xff, in.read());
                assertTrue(invoice.isClosed, "all of it was read and verified before the first byte");
                assertEquals(INVOICE.length - 1, Payloads.all(in).length);
            }

            Messages.Message forged = messages.sealed(Messages.AES_128_GCM, "Content", false, two());
            Watch flipped = new Watch(Payloads.flipped(forged.attachments.get("invoice"), 8 * 1000));
            assertRefused(around(forged, flipped, attachment -> {
                attachment.getSourceStream();
                return attachment;
            }).get("invoice"));
        }
    }

    @Test
    void theStreamThatIsReplacedIsTheOneThatIsRead() throws Exception {
        Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Content", false, two());
        byte[] sealed = message.attachments.get("invoice");
        Messages.Application application = around(message, new Watch(new byte[50]), attachment -> {
            if (attachment.getId().equals("invoice")) {
                attachment.setSourceStream(new ByteArrayInputStream(sealed));
            }
            return attachment;
        });
        assertArrayEquals(INVOICE, Payloads.all(application.get("invoice")));
    }

    @Test
    void anAttachmentInPlaceOfOursFailsTheMessage() throws Exception {
        Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Content", false, two());
        assertThrows(WSSecurityException.class, () ->
                around(message, new Watch(message.attachments.get("invoice")), attachment -> {
                    Attachment other = new Attachment();
                    other.setId(attachment.getId());
                    other.setSourceStream(attachment.getSourceStream());
                    return other;
                }));
    }

    /** A handler that keeps our streams to itself gets past us, unless the processors stand around it. */
    @Test
    void theProcessorsVerifyWhateverHandlerThereIs() throws Exception {
        Messages.Message message = messages.sealed(Messages.AES_128_GCM, "Content", false, two());
        Messages.Application application =
                application(message, new Watch(Payloads.flipped(message.attachments.get("invoice"), 8 * 1000)));
        CallbackHandler ours = new VerifyingAttachments(application, directory);
        WSSConfig config = WSSConfig.getNewInstance();
        VerifyingProcessor.install(config);
        messages.receive(message.envelope, callbacks -> {
            if (callbacks[0] instanceof AttachmentRequestCallback) {
                ours.handle(callbacks);
                AttachmentRequestCallback request = (AttachmentRequestCallback) callbacks[0];
                Attachment copy = new Attachment();
                copy.setId(request.getAttachmentId());
                copy.setMimeType("application/octet-stream");
                byte[] sealed = Payloads.all(request.getAttachments().get(0).getSourceStream());
                copy.setSourceStream(new ByteArrayInputStream(sealed));
                request.setAttachments(Collections.singletonList(copy));
            } else {
                application.handle(callbacks);
            }
        }, config);
        assertRefused(application.get("invoice"));
        assertArrayEquals(IMAGE, Payloads.all(application.get("image")));
    }

    private Messages.Application around(Messages.Message message, Watch invoice, UnaryOperator<Attachment> change)
            throws Exception {
        Messages.Application application = application(message, invoice);
        CallbackHandler ours = new VerifyingAttachments(application, directory);
        messages.receive(message.envelope, callbacks -> {
            ours.handle(callbacks);
            if (callbacks[0] instanceof AttachmentRequestCallback) {
                AttachmentRequestCallback request = (AttachmentRequestCallback) callbacks[0];
                request.setAttachments(request.getAttachments().stream().map(change).collect(Collectors.toList()));
            }
        });
        return application;
    }

    /** The streaming engine makes its cipher before it asks for the attachment, so that we could not recognise it. */
    @Test
    void theStreamingEngineIsRefused() throws Exception {
        Messages.Application application = new Messages.Application();
        application.put("invoice", new Watch(new byte[50]));
        AttachmentRequestCallback request = new AttachmentRequestCallback();
        request.setAttachmentId("invoice");
        assertTrue(assertThrows(IOException.class, () -> Caller.ask(new VerifyingAttachments(application), request))
                .getMessage().contains("DOM engine"));
        assertNull(request.getAttachments());
        Caller.ask(application, request);
        assertEquals(1, request.getAttachments().size());
    }

    private Messages.Application received(Messages.Message message, Watch invoice) throws Exception {
        Messages.Application application = application(message, invoice);
        messages.receive(message.envelope, new VerifyingAttachments(application, directory));
        return application;
    }

    private static Messages.Application application(Messages.Message message, Watch invoice) {
        Messages.Application application = new Messages.Application();
        application.put("image", new ByteArrayInputStream(message.attachments.get("image")));
        application.put("invoice", invoice);
        return application;
    }

    private static Messages.Application application(Messages.Message message) {
        Messages.Application application = new Messages.Application();
        message.attachments.forEach((id, sealed) -> application.put(id, new ByteArrayInputStream(sealed)));
        return application;
    }

    private static Map<String, byte[]> several(int number, int length) {
        Map<String, byte[]> attachments = new LinkedHashMap<>();
        for (int index = 0; index < number; index++) {
            attachments.put(String.valueOf(index), Payloads.random(index, length));
        }
        return attachments;
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
