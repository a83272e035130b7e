package example;

import javax.security.auth.callback.CallbackHandler;
import org.apache.wss4j.common.ext.WSSecurityException;
import org.apache.wss4j.dom.engine.WSSecurityEngine;
import org.apache.wss4j.dom.handler.RequestData;
import org.apache.wss4j.dom.handler.WSHandlerResult;
import org.w3c.dom.Document;
import sealmark.wss.SealmarkProvider;
import sealmark.wss.VerifyingAttachments;

/** A receiver of signed and encrypted messages, as applications that use WSS4J write it. */
final class Receiver {
    static {
        SealmarkProvider.install();
    }

    private Receiver() {}

    /** {@code data} has the application's keys; {@code attachments} delivers encrypted streams and receives decrypted ones. */
    static WSHandlerResult receive(Document envelope, RequestData data, CallbackHandler attachments)
            throws WSSecurityException {
        data.setAttachmentCallbackHandler(new VerifyingAttachments(attachments));
        return new WSSecurityEngine().processSecurityHeader(envelope, data);
    }
}
