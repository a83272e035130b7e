package sealmark.wss;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.Key;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.KeyGenerator;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.wss4j.common.WSEncryptionPart;
import org.apache.wss4j.common.crypto.AlgorithmSuite;
import org.apache.wss4j.common.crypto.Merlin;
import org.apache.wss4j.common.ext.Attachment;
import org.apache.wss4j.common.ext.AttachmentRequestCallback;
import org.apache.wss4j.common.ext.AttachmentResultCallback;
import org.apache.wss4j.common.ext.WSPasswordCallback;
import org.apache.wss4j.dom.engine.WSSConfig;
import org.apache.wss4j.dom.engine.WSSecurityEngine;
import org.apache.wss4j.dom.handler.RequestData;
import org.apache.wss4j.dom.message.WSSecEncrypt;
import org.apache.wss4j.dom.message.WSSecHeader;
import org.apache.wss4j.dom.message.WSSecSignature;
import org.w3c.dom.Document;

/** SOAP messages with attachments, sent and received by Apache WSS4J as the classpath has it. */
final class Messages {
    static final String AES_128_GCM = "http://www.w3.org/2009/xmlenc11#aes128-gcm";
    static final String AES_256_GCM = "http://www.w3.org/2009/xmlenc11#aes256-gcm";
    static final String AES_128_CBC = "http://www.w3.org/2001/04/xmlenc#aes128-cbc";
    private static final String SOAP = "http://schemas.xmlsoap.org/soap/envelope/";

    private final Merlin crypto = new Merlin();

    /** False where a handler of ours would refuse to send. */
    boolean wrapsSender = true;

    Messages() throws Exception {
        WSSConfig.init();
        crypto.setKeyStore(Tls.keys());
    }

    Key secretKey() throws Exception {
        return crypto.getKeyStore().getKey(Tls.ALIAS, Tls.PASSWORD.toCharArray());
    }

    /** The envelope and attachments of one message, by their names. */
    static final class Message {
        Document envelope;
        final Map<String, byte[]> attachments = new LinkedHashMap<>();
    }

    /** Encrypts with one key for all attachments; {@code modifier} is Content or Element (with headers). */
    Message sealed(String algorithm, String modifier, boolean isSigned, Map<String, byte[]> plaintexts) throws Exception {
        Message message = new Message();
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        message.envelope = factory.newDocumentBuilder().parse(new ByteArrayInputStream(("<s:Envelope xmlns:s='" + SOAP
                + "'><s:Body><order>1</order></s:Body></s:Envelope>").getBytes(StandardCharsets.UTF_8)));
        WSSecHeader header = new WSSecHeader(message.envelope);
        header.insertSecurityHeader();
        Application sender = new Application();
        for (Map.Entry<String, byte[]> each : plaintexts.entrySet()) {
            sender.put(each.getKey(), new ByteArrayInputStream(each.getValue()));
        }
        // Wrapped as well, which must not matter.
        CallbackHandler handler = wrapsSender ? new VerifyingAttachments(sender) : sender;
        if (isSigned) {
            WSSecSignature signature = new WSSecSignature(header);
            signature.setUserInfo(Tls.ALIAS, Tls.PASSWORD);
            signature.getParts().add(new WSEncryptionPart("Body", SOAP, "Content"));
            signature.getParts().add(new WSEncryptionPart("cid:Attachments", "Content"));
            signature.setAttachmentCallbackHandler(handler);
            signature.build(crypto);
        }
        WSSecEncrypt encryption = new WSSecEncrypt(header);
        encryption.setUserInfo(Tls.ALIAS);
        encryption.setSymmetricEncAlgorithm(algorithm);
        encryption.getParts().add(new WSEncryptionPart("Body", SOAP, "Content"));
        encryption.getParts().add(new WSEncryptionPart("cid:Attachments", modifier));
        encryption.setAttachmentCallbackHandler(handler);
        KeyGenerator keys = KeyGenerator.getInstance("AES");
        keys.init(algorithm.contains("256") ? 256 : 128);
        encryption.build(crypto, keys.generateKey());
        for (String id : plaintexts.keySet()) {
            message.attachments.put(id, Payloads.all(sender.get(id)));
        }
        return message;
    }

    /** Processes the security header; the application has the decrypted attachments then. */
    void receive(Document envelope, CallbackHandler attachments) throws Exception {
        receive(envelope, attachments, WSSConfig.getNewInstance());
    }

    void receive(Document envelope, CallbackHandler attachments, WSSConfig config) throws Exception {
        receive(envelope, attachments, config, null);
    }

    /** Receives with the algorithm suite that the page advises. */
    void receiveGcmOnly(Document envelope, CallbackHandler attachments) throws Exception {
        AlgorithmSuite suite = new AlgorithmSuite();
        suite.addEncryptionMethod(AES_128_GCM);
        suite.addEncryptionMethod(AES_256_GCM);
        receive(envelope, attachments, WSSConfig.getNewInstance(), suite);
    }

    private void receive(Document envelope, CallbackHandler attachments, WSSConfig config, AlgorithmSuite suite)
            throws Exception {
        RequestData data = new RequestData();
        data.setAlgorithmSuite(suite);
        data.setWssConfig(config);
        data.setDecCrypto(crypto);
        data.setSigVerCrypto(crypto);
        data.setCallbackHandler(callbacks -> {
            for (Callback callback : callbacks) {
                ((WSPasswordCallback) callback).setPassword(Tls.PASSWORD);
            }
        });
        data.setAttachmentCallbackHandler(attachments);
        WSSecurityEngine engine = new WSSecurityEngine();
        // Its processors are those of the engine's configuration, not of the data's.
        engine.setWssConfig(config);
        engine.processSecurityHeader(envelope, data);
    }

    /** The handler of an application, with each attachment as it came last. */
    static final class Application implements CallbackHandler {
        private final Map<String, Attachment> attachments = new LinkedHashMap<>();

        void put(String id, InputStream stream) {
            Attachment attachment = new Attachment();
            attachment.setId(id);
            attachment.setMimeType("application/octet-stream");
            attachment.addHeader("Content-Description", "an invoice");
            attachment.setSourceStream(stream);
            attachments.put(id, attachment);
        }

        InputStream get(String id) {
            return attachments.get(id).getSourceStream();
        }

        @Override
        public void handle(Callback[] callbacks) throws IOException {
            for (Callback callback : callbacks) {
                if (callback instanceof AttachmentRequestCallback) {
                    AttachmentRequestCallback request = (AttachmentRequestCallback) callback;
                    List<Attachment> requested = new ArrayList<>();
                    for (Attachment attachment : attachments.values()) {
                        if (request.getAttachmentId().equals("Attachments")
                                || request.getAttachmentId().equals(attachment.getId())) {
                            requested.add(attachment);
                        }
                    }
                    request.setAttachments(requested);
                } else {
                    AttachmentResultCallback result = (AttachmentResultCallback) callback;
                    attachments.put(result.getAttachmentId(), result.getAttachment());
                }
            }
        }
    }
}
