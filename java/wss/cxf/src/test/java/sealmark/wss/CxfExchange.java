package sealmark.wss;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.xml.namespace.QName;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.cxf.Bus;
import org.apache.cxf.BusFactory;
import org.apache.cxf.attachment.AttachmentUtil;
import org.apache.cxf.endpoint.Client;
import org.apache.cxf.endpoint.Server;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.frontend.ClientProxyFactoryBean;
import org.apache.cxf.frontend.ServerFactoryBean;
import org.apache.cxf.interceptor.Fault;
import org.apache.cxf.message.Attachment;
import org.apache.cxf.message.Message;
import org.apache.cxf.phase.AbstractPhaseInterceptor;
import org.apache.cxf.phase.Phase;
import org.apache.cxf.ws.policy.PolicyBuilder;
import org.apache.cxf.ws.policy.PolicyConstants;
import org.apache.cxf.ws.policy.WSPolicyFeature;
import org.apache.cxf.ws.security.SecurityConstants;
import org.apache.cxf.ws.security.wss4j.WSS4JInInterceptor;
import org.apache.cxf.ws.security.wss4j.WSS4JOutInterceptor;
import org.apache.neethi.Policy;
import org.apache.wss4j.common.crypto.Merlin;
import org.apache.wss4j.common.ext.WSPasswordCallback;
import org.xml.sax.SAXException;

/** A client and a server of Apache CXF, whose requests and responses have attachments. */
final class CxfExchange implements AutoCloseable {
    /** Each refused message is logged; loggers are forgotten if nobody keeps them. */
    private static final Logger LOG = Logger.getLogger("org.apache");

    private static final CallbackHandler PASSWORDS = callbacks -> {
        for (Callback callback : callbacks) {
            ((WSPasswordCallback) callback).setPassword(Tls.PASSWORD);
        }
    };

    private final Bus bus;
    private final Server server;
    private final Orders proxy;

    /** The contract. */
    public interface Orders {
        /** Takes an order, whose text comes back. */
        String order(String text);
    }

    /** Does so. */
    public static final class Echo implements Orders {
        @Override
        public String order(String text) {
            return text;
        }
    }

    /** Reads the attachments of a message. */
    interface Reader {
        void read(String name, InputStream attachment) throws IOException;
    }

    /** The settings of an exchange; a test changes the ones that it is about, the functions while there is one, too. */
    static final class Settings {
        Merlin crypto;
        String actions = "Encryption";
        /** Null for none. */
        Map<QName, Object> processors;
        /** A policy from which CXF makes its interceptors; null for interceptors of ours. */
        String policy;
        Consumer<Bus> onBus = bus -> {};
        final Map<String, Object> endpointProperties = new HashMap<>();
        Map<String, byte[]> sent = Collections.emptyMap();
        Map<String, byte[]> replied = Collections.emptyMap();
        Reader service = (name, attachment) -> { };
        Reader client = (name, attachment) -> { };
        UnaryOperator<Map<String, byte[]>> forging = sealed -> sealed;
    }

    static Merlin crypto() throws Exception {
        Merlin crypto = new Merlin();
        crypto.setKeyStore(Tls.keys());
        return crypto;
    }

    CxfExchange(Settings settings) throws IOException {
        LOG.setLevel(Level.OFF);
        bus = BusFactory.newInstance().createBus();
        settings.onBus.accept(bus);
        Map<String, Object> byPolicy = settings.policy == null ? Collections.emptyMap() : byPolicy(settings, bus);
        String address = "http://127.0.0.1:" + freePort() + "/orders";
        ServerFactoryBean factory = new ServerFactoryBean();
        factory.setBus(bus);
        factory.setServiceClass(Orders.class);
        factory.setServiceBean(new Echo());
        factory.setAddress(address);
        Map<String, Object> properties = new HashMap<>(settings.endpointProperties);
        properties.putAll(byPolicy);
        factory.setProperties(properties);
        factory.getInInterceptors().add(new Reading((name, attachment) -> settings.service.read(name, attachment)));
        factory.getOutInterceptors().add(new Attaching(settings.replied));
        if (settings.policy == null) {
            factory.getInInterceptors().add(new WSS4JInInterceptor(security(settings)));
            factory.getOutInterceptors().add(new WSS4JOutInterceptor(security(settings)));
        } else {
            factory.getFeatures().add(new WSPolicyFeature());
        }
        server = factory.create();
        ClientProxyFactoryBean clients = new ClientProxyFactoryBean();
        clients.setBus(bus);
        clients.setServiceClass(Orders.class);
        clients.setAddress(address);
        if (settings.policy != null) {
            clients.setProperties(new HashMap<>(byPolicy));
            clients.getFeatures().add(new WSPolicyFeature());
        }
        proxy = clients.create(Orders.class);
        Client client = ClientProxy.getClient(proxy);
        client.getOutInterceptors().add(new Attaching(settings.sent));
        client.getOutInterceptors().add(new Forging(sealed -> settings.forging.apply(sealed)));
        if (settings.policy == null) {
            client.getOutInterceptors().add(new WSS4JOutInterceptor(security(settings)));
            client.getInInterceptors().add(new WSS4JInInterceptor(security(settings)));
        }
        client.getInInterceptors().add(new Reading((name, attachment) -> settings.client.read(name, attachment)));
    }

    void exchange() {
        if (!proxy.order("42").equals("42")) {
            throw new IllegalStateException("another order came back");
        }
    }

    @Override
    public void close() {
        server.destroy();
        bus.shutdown(true);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static Map<String, Object> security(Settings settings) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("action", settings.actions);
        properties.put("user", Tls.ALIAS);
        properties.put("encryptionUser", Tls.ALIAS);
        properties.put("keys", settings.crypto);
        for (String use : new String[] {"signaturePropRefId", "signatureVerificationPropRefId", "encryptionPropRefId",
                "decryptionPropRefId"}) {
            properties.put(use, "keys");
        }
        properties.put("passwordCallbackRef", PASSWORDS);
        String parts = "{}{http://schemas.xmlsoap.org/soap/envelope/}Body;{}cid:Attachments;";
        properties.put("signatureParts", parts);
        properties.put("encryptionParts", parts);
        properties.put("encryptionSymAlgorithm", "http://www.w3.org/2009/xmlenc11#aes128-gcm");
        if (settings.processors != null) {
            properties.put("wss4j.processor.map", settings.processors);
        }
        return properties;
    }

    private static Map<String, Object> byPolicy(Settings settings, Bus bus) {
        Map<String, Object> properties = new HashMap<>();
        properties.put(PolicyConstants.POLICY_OVERRIDE, policy(settings.policy, bus));
        for (String use : new String[] {"signature", "encryption"}) {
            properties.put("security." + use + ".crypto", settings.crypto);
            properties.put("security." + use + ".username", Tls.ALIAS);
        }
        properties.put("security.callback-handler", PASSWORDS);
        properties.put(SecurityConstants.USE_ATTACHMENT_ENCRYPTION_CONTENT_ONLY_TRANSFORM, true);
        return properties;
    }

    private static Policy policy(String policy, Bus bus) {
        try (InputStream in = new ByteArrayInputStream(policy.getBytes(StandardCharsets.UTF_8))) {
            return bus.getExtension(PolicyBuilder.class).getPolicy(in);
        } catch (IOException | ParserConfigurationException | SAXException error) {
            throw new IllegalStateException(error);
        }
    }

    private static Collection<Attachment> attachments(Map<String, byte[]> contents, Message message) throws IOException {
        List<Attachment> attachments = new ArrayList<>();
        for (Map.Entry<String, byte[]> each : contents.entrySet()) {
            Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            headers.put("Content-ID", Collections.singletonList("<" + each.getKey() + ">"));
            headers.put("Content-Type", Collections.singletonList("application/octet-stream"));
            attachments.add(AttachmentUtil.createAttachment(new ByteArrayInputStream(each.getValue()), headers, message));
        }
        return attachments;
    }

    private static final class Attaching extends AbstractPhaseInterceptor<Message> {
        private final Map<String, byte[]> contents;

        Attaching(Map<String, byte[]> contents) {
            super(Phase.SETUP);
            this.contents = contents;
        }

        @Override
        public void handleMessage(Message message) {
            try {
                message.setAttachments(attachments(contents, message));
            } catch (IOException error) {
                throw new Fault(error);
            }
        }
    }

    /** Changes what WSS4J has encrypted. */
    private static final class Forging extends AbstractPhaseInterceptor<Message> {
        private final UnaryOperator<Map<String, byte[]>> forging;

        Forging(UnaryOperator<Map<String, byte[]>> forging) {
            super(Phase.USER_STREAM);
            this.forging = forging;
        }

        @Override
        public void handleMessage(Message message) {
            Map<String, byte[]> sealed = new LinkedHashMap<>();
            try {
                for (Attachment attachment : message.getAttachments()) {
                    sealed.put(attachment.getId(), Payloads.all(attachment.getDataHandler().getInputStream()));
                }
                message.setAttachments(attachments(forging.apply(sealed), message));
            } catch (IOException error) {
                throw new Fault(error);
            }
        }
    }

    /** An application that reads attachments after WS-Security was processed. */
    private static final class Reading extends AbstractPhaseInterceptor<Message> {
        private final Reader reader;

        Reading(Reader reader) {
            super(Phase.PRE_INVOKE);
            this.reader = reader;
        }

        @Override
        public void handleMessage(Message message) {
            try {
                for (Attachment attachment : message.getAttachments()) {
                    try (InputStream in = attachment.getDataHandler().getInputStream()) {
                        reader.read(attachment.getId(), in);
                    }
                }
            } catch (IOException error) {
                throw new Fault(error);
            }
        }
    }
}
