package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.cxf.Bus;
import org.apache.cxf.binding.soap.SoapFault;
import org.apache.wss4j.common.crypto.Merlin;
import org.apache.wss4j.common.ext.WSSecurityException;
import org.apache.wss4j.dom.engine.WSSConfig;
import org.apache.wss4j.dom.processor.Processor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signed and encrypted messages with attachments between a client and a server of Apache CXF, over HTTP. */
final class CxfTest {
    private static final String SIGNED = "Signature Encryption";
    /** The error of the decrypted stream, which CXF reports as any other error of an attachment. */
    private static final String NOT_AUTHENTIC = "javax.crypto.AEADBadTagException: ";
    private static final byte[] INVOICE = Payloads.random(1, 300_000);
    private static final byte[] IMAGE = Payloads.random(2, 40_000);
    private static final String TOKEN = "<wsp:Policy><sp:X509Token sp:IncludeToken='http://docs.oasis-open.org/ws-sx/"
            + "ws-securitypolicy/200702/IncludeToken/Never'><wsp:Policy><sp:WssX509V3Token10/></wsp:Policy></sp:X509Token>"
            + "</wsp:Policy>";
    private static final String POLICY = "<wsp:Policy xmlns:wsp='http://www.w3.org/ns/ws-policy'"
            + " xmlns:sp='http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702'><wsp:ExactlyOne><wsp:All>"
            + "<sp:AsymmetricBinding><wsp:Policy><sp:InitiatorToken>" + TOKEN + "</sp:InitiatorToken>"
            + "<sp:RecipientToken>" + TOKEN + "</sp:RecipientToken><sp:AlgorithmSuite><wsp:Policy>"
            + "<cxf:Basic128GCM xmlns:cxf='http://cxf.apache.org/custom/security-policy'/>"
            + "</wsp:Policy></sp:AlgorithmSuite></wsp:Policy></sp:AsymmetricBinding><sp:SignedParts><sp:Body/></sp:SignedParts>"
            + "<sp:EncryptedParts><sp:Attachments/></sp:EncryptedParts></wsp:All></wsp:ExactlyOne></wsp:Policy>";
    private static Merlin crypto;

    @TempDir
    Path directory;

    private Path spool;
    private CxfExchange.Settings settings;

    @BeforeAll
    static void install() throws Exception {
        SealmarkProvider.install();
        crypto = CxfExchange.crypto();
    }

    @AfterAll
    static void uninstall() {
        SealmarkProvider.uninstall();
    }

    @BeforeEach
    void set() throws IOException {
        spool = Files.createDirectory(directory.resolve("spool"));
        settings = new CxfExchange.Settings();
        settings.crypto = crypto;
        settings.processors = VerifyingProcessor.processors(handler -> new VerifyingAttachments(handler, spool));
        settings.sent = two();
    }

    @AfterEach
    void nothingIsLeft() {
        assertEquals(0, spool.toFile().list().length);
    }

    @Test
    void theVersionIsTheOneThatTheBuildNames() {
        assertEquals(System.getProperty("sealmark.cxf"), Bus.class.getPackage().getImplementationVersion());
    }

    @Test
    void attachmentsOpenBothWays() throws Exception {
        settings.replied = two();
        for (String actions : new String[] {settings.actions, SIGNED}) {
            settings.actions = actions;
            Map<String, byte[]> received = new HashMap<>();
            Map<String, byte[]> replied = new HashMap<>();
            settings.service = (name, in) -> received.put(name, Payloads.all(in));
            settings.client = (name, in) -> replied.put(name, Payloads.all(in));
            exchange();
            for (Map<String, byte[]> each : Arrays.asList(received, replied)) {
                assertEquals(two().keySet(), each.keySet());
                assertArrayEquals(INVOICE, each.get("invoice"));
                assertArrayEquals(IMAGE, each.get("image"));
            }
        }
    }

    /** Two ways to arm a server; without one of them, the JDK's cipher would do the work. */
    @Test
    void eachWayToArmAServerIsUsed() throws Exception {
        assertEquals(1, opensSources());

        settings.processors = null;
        settings.onBus = bus -> VerifyingProcessor.install(bus::setProperty);
        assertEquals(1, opensSources());

        settings.onBus = bus -> {};
        assertEquals(0, opensSources());
    }

    /** CXF makes the interceptors from a policy that the endpoint has, and looks at the bus: Oxalis-AS4 works so. */
    @Test
    void anEndpointWithAPolicyIsArmedByItsBus() throws Exception {
        settings.processors = null;
        settings.policy = POLICY;
        settings.onBus = bus -> arm(bus, spool);
        List<Integer> sealed = new ArrayList<>();
        settings.forging = attachments -> {
            sealed.add(attachments.get("invoice").length);
            return attachments;
        };
        Map<String, byte[]> received = new HashMap<>();
        settings.service = (name, in) -> received.put(name, Payloads.all(in));
        exchange();
        assertEquals(Collections.singletonList(Gcm.IV + INVOICE.length + Gcm.TAG), sealed);
        assertArrayEquals(INVOICE, received.get("invoice"));
        try (CxfExchange cxf = new CxfExchange(settings)) {
            assertNothingReleased(cxf, "invoice", NOT_AUTHENTIC, bytes -> Payloads.flipped(bytes, 8 * 150_000));
        }

        settings.forging = attachments -> attachments;
        Path missing = directory.resolve("missing");
        settings.onBus = bus -> arm(bus, missing);
        SoapFault fault = assertThrows(SoapFault.class, this::exchange, "nothing but our source needs the directory");
        assertTrue(fault.getMessage().contains(missing.toString()), fault.getMessage());
    }

    private static void arm(Bus bus, Path spool) {
        WSSConfig config = WSSConfig.getNewInstance();
        VerifyingProcessor.processors(handler -> new VerifyingAttachments(handler, spool))
                .forEach((element, processor) -> config.setProcessor(element, (Processor) processor));
        bus.setProperty(WSSConfig.class.getName(), config);
    }

    private int opensSources() throws Exception {
        AtomicInteger sources = new AtomicInteger();
        settings.sent = Collections.singletonMap("invoice", INVOICE);
        settings.service = (name, in) -> {
            int before = Abandoned.watched();
            assertEquals(INVOICE[0] & 0xff, in.read());
            sources.addAndGet(Abandoned.watched() - before);
        };
        exchange();
        return sources.get();
    }

    @Test
    void ofAForgeryNothingIsReleased() throws Exception {
        for (String actions : new String[] {settings.actions, SIGNED}) {
            settings.actions = actions;
            try (CxfExchange cxf = new CxfExchange(settings)) {
                for (int at : new int[] {
                    0, Gcm.IV, 150_000, INVOICE.length + Gcm.IV - 1, INVOICE.length + Gcm.IV + Gcm.TAG - 1
                }) {
                    assertNothingReleased(
                            cxf, "invoice", NOT_AUTHENTIC, sealed -> Payloads.flipped(sealed, 8 * at + at % 8));
                }
                for (int length : new int[] {5, 200, 100_000, INVOICE.length + Gcm.IV + Gcm.TAG - 1}) {
                    assertNothingReleased(cxf, "invoice", NOT_AUTHENTIC, sealed -> Arrays.copyOf(sealed, length));
                }
                // CXF reads the first one before it asks for the second, which WSS4J reads first if it is signed.
                assertNothingReleased(cxf, "image",
                        actions.equals(SIGNED) ? WSSecurityException.UNIFIED_SECURITY_ERR : NOT_AUTHENTIC,
                        sealed -> Payloads.flipped(sealed, 8 * 1000));
                List<byte[]> earlier = new ArrayList<>();
                settings.forging = sealed -> {
                    earlier.add(sealed.get("invoice"));
                    return sealed;
                };
                settings.service = (name, in) -> { };
                cxf.exchange();
                assertNothingReleased(cxf, "invoice", NOT_AUTHENTIC, sealed -> earlier.get(0));
            }
        }
    }

    private void assertNothingReleased(CxfExchange cxf, String forged, String reason, UnaryOperator<byte[]> forgery) {
        settings.forging = sealed -> {
            Map<String, byte[]> changed = new LinkedHashMap<>(sealed);
            changed.computeIfPresent(forged, (name, bytes) -> forgery.apply(bytes));
            assertFalse(Arrays.equals(sealed.get(forged), changed.get(forged)));
            return changed;
        };
        ByteArrayOutputStream released = new ByteArrayOutputStream();
        settings.service = (name, in) -> {
            if (name.equals(forged)) {
                Payloads.copy(in, released);
            }
        };
        SoapFault fault = assertThrows(SoapFault.class, cxf::exchange);
        assertTrue(fault.getMessage().contains(reason), fault.getMessage());
        assertEquals(0, released.size());
    }

    @Test
    void sixtyFourMessagesAtOnceOpen() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        settings.sent = new HashMap<>();
        settings.sent.put("invoice", IMAGE);
        settings.sent.put("image", IMAGE);
        settings.service = (name, in) -> {
            assertArrayEquals(IMAGE, Payloads.all(in));
            opened.incrementAndGet();
        };
        ExecutorService senders = Executors.newFixedThreadPool(64);
        try (CxfExchange cxf = new CxfExchange(settings)) {
            List<Future<?>> all = new ArrayList<>();
            for (int sender = 0; sender < 64; sender++) {
                all.add(senders.submit(cxf::exchange));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            senders.shutdown();
        }
        assertEquals(128, opened.get());
    }

    /** CXF copies an attachment that WSS4J has decrypted to a file, if another one is asked for before it is read. */
    @Test
    void cxfSpoolsPlaintextUnlessItIsToldNotTo() throws Exception {
        byte[] text = String.join("", Collections.nCopies(20_000, "account 4711 ")).getBytes(StandardCharsets.US_ASCII);
        settings.sent = new LinkedHashMap<>();
        settings.sent.put("invoice", text);
        settings.sent.put("image", IMAGE);
        Path files = Files.createDirectory(directory.resolve("cxf"));
        settings.endpointProperties.put("attachment-directory", files.toString());
        assertTrue(spoolsPlaintext(files), "CXF has changed: correct the page");

        // The page's two answers.
        settings.endpointProperties.put("attachment-memory-threshold", "" + 1024 * 1024);
        assertFalse(spoolsPlaintext(files));
        settings.endpointProperties.remove("attachment-memory-threshold");
        settings.onBus = bus -> bus.setProperty("bus.io.CachedOutputStream.CipherTransformation", "AES/CTR/NoPadding");
        assertFalse(spoolsPlaintext(files));
    }

    private boolean spoolsPlaintext(Path files) throws Exception {
        List<String> spooled = new ArrayList<>();
        settings.service = (name, in) -> {
            if (name.equals("invoice")) {
                for (File file : files.toFile().listFiles()) {
                    spooled.add(new String(Files.readAllBytes(file.toPath()), StandardCharsets.ISO_8859_1));
                }
                assertEquals(260_000, Payloads.all(in).length);
            }
        };
        exchange();
        return spooled.stream().anyMatch(content -> content.contains("account 4711"));
    }

    private void exchange() throws IOException {
        try (CxfExchange cxf = new CxfExchange(settings)) {
            cxf.exchange();
        }
    }

    private static Map<String, byte[]> two() {
        Map<String, byte[]> attachments = new LinkedHashMap<>();
        attachments.put("invoice", INVOICE);
        attachments.put("image", IMAGE);
        return attachments;
    }
}
