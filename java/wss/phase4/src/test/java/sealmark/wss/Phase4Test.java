package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.helger.base.io.stream.HasInputStream;
import com.helger.base.state.ESuccess;
import com.helger.collection.commons.CommonsArrayList;
import com.helger.collection.commons.ICommonsList;
import com.helger.http.header.HttpHeaderMap;
import com.helger.mime.CMimeType;
import com.helger.phase4.CAS4;
import com.helger.phase4.CAS4Version;
import com.helger.phase4.attachment.AS4OutgoingAttachment;
import com.helger.phase4.attachment.IAS4IncomingAttachmentFactory;
import com.helger.phase4.attachment.WSS4JAttachment;
import com.helger.phase4.crypto.AS4CryptParams;
import com.helger.phase4.crypto.AS4CryptoFactoryInMemoryKeyStore;
import com.helger.phase4.crypto.AS4SigningParams;
import com.helger.phase4.crypto.ECryptoAlgorithmCrypt;
import com.helger.phase4.crypto.IAS4CryptoFactory;
import com.helger.phase4.crypto.IAS4DecryptParameterModifier;
import com.helger.phase4.error.AS4ErrorList;
import com.helger.phase4.incoming.AS4IncomingHandler;
import com.helger.phase4.incoming.AS4IncomingMessageMetadata;
import com.helger.phase4.incoming.AS4IncomingMessageState;
import com.helger.phase4.incoming.soap.SoapHeaderElementProcessorWSS4J;
import com.helger.phase4.messaging.crypto.AS4Encryptor;
import com.helger.phase4.messaging.crypto.AS4Signer;
import com.helger.phase4.messaging.mime.AS4MimeMessage;
import com.helger.phase4.model.ESoapVersion;
import com.helger.phase4.model.error.EEbmsError;
import com.helger.phase4.model.pmode.IPMode;
import com.helger.phase4.model.pmode.leg.PModeLeg;
import com.helger.phase4.model.pmode.leg.PModeLegSecurity;
import com.helger.phase4.util.AS4ResourceHelper;
import com.helger.scope.mgr.ScopeManager;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.wss4j.dom.handler.RequestData;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** Signed and encrypted messages with attachments that phase4 writes as MIME, parses and processes again. */
final class Phase4Test {
    private static final byte[] INVOICE = Payloads.random(1, 300_000);
    private static final byte[] IMAGE = Payloads.random(2, 40_000);
    /** Each refused message is logged; loggers are forgotten if nobody keeps them. */
    private static final Logger LOG = Logger.getLogger("org.apache");

    private static IAS4CryptoFactory crypto;

    @BeforeAll
    static void install() throws Exception {
        LOG.setLevel(Level.OFF);
        ScopeManager.onGlobalBegin("test");
        SealmarkProvider.install();
        KeyStore keys = Tls.keys();
        crypto = new AS4CryptoFactoryInMemoryKeyStore(keys, Tls.ALIAS, Tls.PASSWORD.toCharArray(), keys);
    }

    @AfterAll
    static void uninstall() {
        SealmarkProvider.uninstall();
        ScopeManager.onGlobalEnd();
    }

    @Test
    void theVersionIsTheOneThatTheBuildNames() {
        assertEquals(System.getProperty("sealmark.phase4"), CAS4Version.BUILD_VERSION);
    }

    @Test
    void attachmentsOpen() throws Exception {
        for (boolean isSigned : new boolean[] {false, true}) {
            Received received = received(isSigned, true, sealed -> sealed);
            assertEquals(ESuccess.SUCCESS, received.success);
            assertEquals(List.of(), received.errors);
            assertArrayEquals(INVOICE, received.contents.get("invoice"));
            assertArrayEquals(IMAGE, received.contents.get("image"));
            assertTrue(received.isArmed, "the handler was phase4's");
        }
    }

    @Test
    void aForgeryFailsTheMessage() throws Exception {
        for (boolean isSigned : new boolean[] {false, true}) {
            for (UnaryOperator<byte[]> forgery : Arrays.<UnaryOperator<byte[]>>asList(
                    sealed -> Payloads.flipped(sealed, 3),
                    sealed -> Payloads.flipped(sealed, 8 * 150_000),
                    sealed -> Payloads.flipped(sealed, 8 * sealed.length - 1),
                    sealed -> Arrays.copyOf(sealed, 100_000),
                    sealed -> Arrays.copyOf(sealed, 5),
                    Phase4Test::underAnotherKey)) {
                Received received = received(isSigned, true, forgery);
                assertEquals(ESuccess.FAILURE, received.success);
                assertEquals(List.of(EEbmsError.EBMS_FAILED_DECRYPTION.getErrorCode()), received.errors);
                assertTrue(received.contents.isEmpty());
            }
        }
    }

    /** An attachment of another message is under another key. */
    private static byte[] underAnotherKey(byte[] sealed) {
        try {
            return Payloads.sealed(Payloads.key(16), INVOICE);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }

    /** The reason why the page demands {@code verifyAtOnce}. */
    @Test
    void phase4GoesOnAfterAnErrorOfAStream() throws Exception {
        Received received = received(false, false, sealed -> Payloads.flipped(sealed, 8 * 150_000));
        assertEquals(ESuccess.SUCCESS, received.success);
        assertEquals(0, received.contents.get("invoice").length);
        assertArrayEquals(IMAGE, received.contents.get("image"));
    }

    /** The outcome of a message. */
    private static final class Received {
        ESuccess success;
        boolean isArmed;
        /** The codes that phase4 puts into its answer. */
        List<String> errors;
        final Map<String, byte[]> contents = new LinkedHashMap<>();
    }

    private static Received received(boolean isSigned, boolean verifiesAtOnce, UnaryOperator<byte[]> forgery)
            throws Exception {
        Received received = new Received();
        try (AS4ResourceHelper resources = new AS4ResourceHelper()) {
            AS4MimeMessage mime = sent(isSigned, resources);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            mime.writeTo(bytes);
            String text = bytes.toString(StandardCharsets.ISO_8859_1);
            HttpHeaderMap headers = new HttpHeaderMap();
            headers.addHeader("Content-Type", mime.getContentType().replaceAll("\\s+", " "));
            InputStream body = new ByteArrayInputStream(
                    text.substring(text.indexOf("\r\n\r\n") + 4).getBytes(StandardCharsets.ISO_8859_1));
            AS4IncomingHandler.parseAS4Message(IAS4IncomingAttachmentFactory.DEFAULT_INSTANCE, resources,
                    AS4IncomingMessageMetadata.createForRequest(), body, headers,
                    (map, document, version, attachments) -> {
                        for (WSS4JAttachment attachment : attachments) {
                            if (attachment.getId().contains("invoice")) {
                                byte[] forged = forgery.apply(all(attachment.getSourceStream()));
                                attachment.setSourceStreamProvider(
                                        HasInputStream.multiple(() -> new ByteArrayInputStream(forged)));
                            }
                        }
                        process(document, attachments, resources, verifiesAtOnce, received);
                    }, null);
        }
        return received;
    }

    private static void process(Document document, ICommonsList<WSS4JAttachment> attachments, AS4ResourceHelper resources,
            boolean verifiesAtOnce, Received received) {
        IAS4DecryptParameterModifier arming = new IAS4DecryptParameterModifier() {
            @Override
            public void modifyRequestData(RequestData data) {
                VerifyingAttachments.install(data, verifying -> verifiesAtOnce ? verifying.verifyAtOnce() : verifying);
                received.isArmed = data.getAttachmentCallbackHandler() instanceof VerifyingAttachments;
            }
        };
        Element security = (Element) document.getElementsByTagNameNS(
                SoapHeaderElementProcessorWSS4J.QNAME_SECURITY.getNamespaceURI(), "Security").item(0);
        AS4IncomingMessageState state = new AS4IncomingMessageState(ESoapVersion.SOAP_12, resources, Locale.ROOT);
        AS4ErrorList errors = new AS4ErrorList();
        received.success = new SoapHeaderElementProcessorWSS4J(
                crypto, crypto, null, Phase4Test::mode, arming, AS4SigningParams.createDefault())
                .processHeaderElement(document, security, attachments, state, errors);
        received.errors = errors.getAllMapped(error -> error.getEbmsError().getErrorCode());
        if (received.success.isSuccess()) {
            for (WSS4JAttachment attachment : state.getDecryptedAttachments()) {
                String name = attachment.getId().contains("invoice") ? "invoice" : "image";
                received.contents.put(name, all(attachment.getSourceStream()));
            }
        }
    }

    /** A processing mode that demands nothing. */
    private static IPMode mode() {
        PModeLeg leg = new PModeLeg(null, null, null, null, new PModeLegSecurity());
        return (IPMode) Proxy.newProxyInstance(Phase4Test.class.getClassLoader(), new Class<?>[] {IPMode.class},
                (proxy, method, arguments) -> method.getName().equals("getLeg1") ? leg : null);
    }

    private static AS4MimeMessage sent(boolean isSigned, AS4ResourceHelper resources) throws Exception {
        ICommonsList<WSS4JAttachment> attachments = new CommonsArrayList<>();
        attachments.add(attachment("invoice", INVOICE, resources));
        attachments.add(attachment("image", IMAGE, resources));
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        Document document = factory.newDocumentBuilder().parse(new ByteArrayInputStream(("<s:Envelope xmlns:s='"
                + ESoapVersion.SOAP_12.getNamespaceURI() + "' xmlns:eb='" + CAS4.EBMS_NS + "' xmlns:wsu='" + CAS4.WSU_NS
                + "'><s:Header><eb:Messaging wsu:Id='messaging'/></s:Header><s:Body wsu:Id='body'/></s:Envelope>")
                .getBytes(StandardCharsets.UTF_8)));
        if (isSigned) {
            document = AS4Signer.createSignedMessage(crypto, document, ESoapVersion.SOAP_12, "messaging", attachments,
                    resources, false, AS4SigningParams.createDefault());
        }
        AS4CryptParams encryption = new AS4CryptParams().setAlgorithmCrypt(ECryptoAlgorithmCrypt.AES_128_GCM)
                .setAlias(Tls.ALIAS);
        return AS4Encryptor.encryptToMimeMessage(
                ESoapVersion.SOAP_12, document, attachments, crypto, false, resources, encryption);
    }

    private static WSS4JAttachment attachment(String name, byte[] content, AS4ResourceHelper resources) throws Exception {
        return WSS4JAttachment.createOutgoingFileAttachment(AS4OutgoingAttachment.builder().data(content)
                .contentID(name + "@example.com").mimeType(CMimeType.APPLICATION_OCTET_STREAM).build(), resources);
    }

    private static byte[] all(InputStream in) {
        try (in) {
            return Payloads.all(in);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
