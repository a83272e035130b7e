package sealmark.lab.engine.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The suites that nobody should use any more, in a process of their own. */
class LegacyTest {
    private static final String PROPERTIES = "-Djava.security.properties=" + Path.of("legacy.security").toAbsolutePath();

    /** The 22 of a measurement of 2009, all of them on TLS 1.0. */
    private static final List<String> SUITES = List.of(
            "RSA_WITH_RC4_128_MD5 none RSA-1024", "RSA_WITH_RC4_128_SHA none RSA-1024",
            "RSA_WITH_AES_128_CBC_SHA none RSA-1024", "RSA_WITH_AES_256_CBC_SHA none RSA-1024",
            "DHE_RSA_WITH_AES_128_CBC_SHA DH-768 RSA-1024", "DHE_RSA_WITH_AES_256_CBC_SHA DH-768 RSA-1024",
            "RSA_WITH_3DES_EDE_CBC_SHA none RSA-1024", "DHE_RSA_WITH_3DES_EDE_CBC_SHA DH-768 RSA-1024",
            "RSA_WITH_DES_CBC_SHA none RSA-1024", "DHE_RSA_WITH_DES_CBC_SHA DH-768 RSA-1024",
            "RSA_EXPORT_WITH_RC4_40_MD5 export RSA-1024", "RSA_EXPORT_WITH_DES40_CBC_SHA export RSA-1024",
            "DHE_RSA_EXPORT_WITH_DES40_CBC_SHA export RSA-1024", "RSA_WITH_NULL_MD5 none RSA-1024",
            "RSA_WITH_NULL_SHA none RSA-1024", "DH_anon_WITH_RC4_128_MD5 DH-768 none",
            "DH_anon_WITH_AES_128_CBC_SHA DH-768 none", "DH_anon_WITH_AES_256_CBC_SHA DH-768 none",
            "DH_anon_WITH_3DES_EDE_CBC_SHA DH-768 none", "DH_anon_WITH_DES_CBC_SHA DH-768 none",
            "DH_anon_EXPORT_WITH_RC4_40_MD5 DH-768 none", "DH_anon_EXPORT_WITH_DES40_CBC_SHA export none");

    @TempDir
    private Path scratch;

    @Test
    void all22SuitesConnectAndTransfer() throws Exception {
        assertEquals(22, SUITES.size());
        try (Lines lines = new Lines("SunJSSE-legacy", scratch, PROPERTIES)) {
            for (String suite : SUITES) {
                for (String shape : List.of("memory", "nodelay")) {
                    lines.connect("TLSv1 TLS_" + suite, shape, true);
                    lines.transfer("TLSv1 TLS_" + suite, shape);
                }
            }
        }
    }

    /** The JDK gives one suite of 512 bits the same group as those without EXPORT in their names. */
    @Test
    void aSuiteThatIsNotExportInTheJdkSaysSo() throws Exception {
        try (Lines lines = new Lines("SunJSSE-legacy", scratch, PROPERTIES)) {
            lines.areUnsupported("TLSv1 TLS_DH_anon_EXPORT_WITH_RC4_40_MD5 export none", "of DH-768");
        }
    }

    /** They would do what nobody should use any more, among libraries as they come. */
    @Test
    void itsPropertiesAreForNoOther() throws Exception {
        for (String library : List.of("SunJSSE", "BCJSSE", "Conscrypt")) {
            try (Lines lines = new Lines(library, scratch, PROPERTIES)) {
                Map<String, String> answer = lines.prepare("tls-connect",
                        "TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 P-256 RSA-2048", "memory", 1, "");
                assertEquals("failed", answer.get("answer"), library + answer);
                assertTrue(answer.get("why").startsWith("jdk.tls.disabledAlgorithms forbids nothing"), answer::toString);
            }
        }
    }

    @Test
    void refusesWithoutItsProperties() throws Exception {
        try (Lines lines = new Lines("SunJSSE-legacy", scratch)) {
            Map<String, String> answer =
                    lines.prepare("tls-connect", "TLSv1 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-1024", "memory", 1, "");
            assertEquals("failed", answer.get("answer"));
            assertTrue(answer.get("why").startsWith("jdk.tls.disabledAlgorithms is in force"), answer::toString);
        }
    }
}
