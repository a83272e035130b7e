package sealmark.wss;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import javax.security.auth.callback.CallbackHandler;
import javax.xml.namespace.QName;
import org.apache.wss4j.common.ext.WSSecurityException;
import org.apache.wss4j.dom.WSConstants;
import org.apache.wss4j.dom.engine.WSSConfig;
import org.apache.wss4j.dom.engine.WSSecurityEngineResult;
import org.apache.wss4j.dom.handler.RequestData;
import org.apache.wss4j.dom.processor.Processor;
import org.w3c.dom.Element;

/**
 * Installs {@link VerifyingAttachments} if a stack creates the handler of attachments itself, as Apache CXF does: it runs
 * before WSS4J's own processor of an encrypted element.
 */
public final class VerifyingProcessor implements Processor {
    private static final QName[] ENCRYPTED = {
        WSConstants.ENCRYPTED_KEY, WSConstants.ENCRYPTED_DATA, WSConstants.REFERENCE_LIST
    };
    /** Never changed; it makes a processor anew for each element. */
    private static final WSSConfig ORIGINALS = WSSConfig.getNewInstance();

    private final QName element;
    private final Function<CallbackHandler, VerifyingAttachments> wrapping;

    private VerifyingProcessor(QName element, Function<CallbackHandler, VerifyingAttachments> wrapping) {
        this.element = element;
        this.wrapping = wrapping;
    }

    /**
     * The processors of all encrypted elements, as the property {@code wss4j.processor.map} of Apache CXF takes them. Installs
     * the provider, too, unless it is installed.
     *
     * @return a map of your own
     * @throws IllegalStateException as {@link SealmarkProvider#install}
     */
    public static Map<QName, Object> processors() {
        return processors(VerifyingAttachments::new);
    }

    /**
     * The processors of all encrypted elements, with options of {@link VerifyingAttachments}.
     *
     * @param wrapping makes the handler, such as
     *         {@code handler -> new VerifyingAttachments(handler, directory).allowOtherCiphers()}
     * @return a map of your own
     * @throws IllegalStateException as {@link SealmarkProvider#install}
     */
    public static Map<QName, Object> processors(Function<CallbackHandler, VerifyingAttachments> wrapping) {
        SealmarkProvider.install();
        Map<QName, Object> processors = new HashMap<>();
        for (QName element : ENCRYPTED) {
            processors.put(element, new VerifyingProcessor(element, wrapping));
        }
        return processors;
    }

    /**
     * Puts the processors into a configuration of WSS4J.
     *
     * @param config the one that the {@code WSSecurityEngine} has, because it takes its processors from there
     * @throws IllegalStateException as {@link SealmarkProvider#install}
     */
    public static void install(WSSConfig config) {
        processors().forEach((element, processor) -> config.setProcessor(element, (Processor) processor));
    }

    /**
     * Puts the processors where Apache CXF looks for them if it makes its interceptors itself, as for WS-SecurityPolicy: among
     * the properties of a bus ({@code VerifyingProcessor.install(bus::setProperty)}), of an endpoint or of a message.
     *
     * @param properties sets a property
     * @throws IllegalStateException as {@link SealmarkProvider#install}
     */
    public static void install(BiConsumer<String, Object> properties) {
        WSSConfig config = WSSConfig.getNewInstance();
        install(config);
        properties.accept(WSSConfig.class.getName(), config);
    }

    @Override
    public List<WSSecurityEngineResult> handleToken(Element token, RequestData data) throws WSSecurityException {
        CallbackHandler attachments = data.getAttachmentCallbackHandler();
        if (attachments != null && !(attachments instanceof VerifyingAttachments)) {
            data.setAttachmentCallbackHandler(wrapping.apply(attachments));
        }
        return ORIGINALS.getProcessor(element).handleToken(token, data);
    }
}
