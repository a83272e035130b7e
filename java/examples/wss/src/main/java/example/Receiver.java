package example;

import java.util.Map;
import javax.security.auth.callback.CallbackHandler;
import org.apache.wss4j.common.WSS4JConstants;
import org.apache.wss4j.common.crypto.AlgorithmSuite;
import org.apache.wss4j.common.ext.WSSecurityException;
import org.apache.wss4j.dom.engine.WSSecurityEngine;
import org.apache.wss4j.dom.handler.RequestData;
import org.apache.wss4j.dom.handler.WSHandlerResult;
import org.w3c.dom.Document;
import sealmark.wss.VerifyingAttachments;
import sealmark.wss.VerifyingProcessor;

/** A receiver of signed and encrypted messages, as applications that use WSS4J write it. */
final class Receiver {
    private Receiver() {}

    /** Properties of Apache CXF's {@code WSS4JInInterceptor}. */
    static Map<String, Object> properties(Map<String, Object> properties) {
        properties.put("wss4j.processor.map", VerifyingProcessor.processors());
        return properties;
    }

    /** A stack lets the application change what it has prepared for WSS4J. */
    static void modify(RequestData data) {
        VerifyingAttachments.install(data, VerifyingAttachments::verifyAtOnce);
    }

    /** {@code data} has the application's keys; {@code attachments} delivers encrypted streams and receives decrypted ones. */
    static WSHandlerResult receive(Document envelope, RequestData data, CallbackHandler attachments)
            throws WSSecurityException {
        data.setAttachmentCallbackHandler(attachments);
        VerifyingAttachments.install(data);
        AlgorithmSuite suite = new AlgorithmSuite();
        suite.addEncryptionMethod(WSS4JConstants.AES_128_GCM);
        suite.addEncryptionMethod(WSS4JConstants.AES_256_GCM);
        data.setAlgorithmSuite(suite);
        return new WSSecurityEngine().processSecurityHeader(envelope, data);
    }
}
