package sealmark.lab.engine.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JDK's own TLS, with what its security properties allow. */
class SunJsseTest {
    @TempDir
    private Path scratch;

    @Test
    void connectsAndTransfersInX25519() throws Exception {
        try (Lines lines = new Lines("SunJSSE", scratch)) {
            lines.work("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256");
            lines.connect("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256", "default-sockets", true);
            lines.transfer("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256", "default-sockets");
            lines.work("TLSv1.3 TLS_CHACHA20_POLY1305_SHA256 X25519 Ed25519");
            lines.work("TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 X25519 RSA-2048");
        }
    }

    /** None of them settles anything for the process, which does the next line as if it had not been asked. */
    @Test
    void wordsThatDoNotGoTogetherAreUnsupported() throws Exception {
        try (Lines lines = new Lines("SunJSSE", scratch)) {
            lines.areUnsupported("TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 X25519 RSA-2048", "no certificate");
            lines.areUnsupported("TLSv1.2 TLS_RSA_WITH_AES_128_GCM_SHA256 P-256 RSA-2048", "no group");
            lines.areUnsupported("TLSv1.2 TLS_RSA_WITH_ROT13_SHA256 none RSA-2048", "no suite TLS_RSA_WITH_ROT13_SHA256");
            lines.areUnsupported("TLSv1.2 TLS_AES_128_GCM_SHA256 P-256 RSA-2048", "knows no suite");
            lines.areUnsupported("TLSv1.2 TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 DH-768 RSA-2048", "fields of 768 bits");
            lines.areUnsupported("TLSv1.3 TLS_RSA_WITH_AES_128_GCM_SHA256 none RSA-2048", "knows no suite");
            lines.areUnsupported("TLSv1.3 TLS_AES_128_GCM_SHA256 none ECDSA-P-256", "no group");
            lines.areUnsupported("TLSv1.3 TLS_AES_128_GCM_SHA256 P-256 none", "no certificate");
            lines.areUnsupported("TLSv1.1 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 P-256 RSA-2048", "knows no suite");
            lines.connect("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256", "memory", false);
        }
    }

    /** By what the library says, for a newer JDK has it. */
    @Test
    void aGroupItDoesNotHaveIsUnsupported() throws Exception {
        try (Lines lines = new Lines("SunJSSE", scratch)) {
            String terms = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519MLKEM768 ECDSA-P-256";
            Map<String, String> answer = lines.prepare("tls-connect", terms, "memory", 1, "");
            if (answer.get("answer").equals("ready")) {
                lines.work(terms);
            } else {
                assertEquals("unsupported", answer.get("answer"));
                assertTrue(answer.get("why").contains("X25519MLKEM768"), answer::toString);
            }
        }
    }

    /** With the curve of the certificate offered beside the group, for a client takes no other in TLS 1.2. */
    @Test
    void agreesOnX25519UnderACertificateOnP256() throws Exception {
        try (Lines lines = new Lines("SunJSSE", scratch)) {
            lines.work("TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 X25519 ECDSA-P-256");
        }
    }

    @Test
    void connectsAndTransfersInAFiniteField() throws Exception {
        try (Lines lines = new Lines("SunJSSE", scratch)) {
            lines.work("TLSv1.2 TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 DH-1024 RSA-2048");
            Map<String, String> answer = lines.prepare("tls-connect",
                    "TLSv1.2 TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 DH-2048 RSA-2048", "memory", 1, "");
            assertEquals("failed", answer.get("answer"), "the JVM knows one length only, and which is read once");
            assertTrue(answer.get("why").contains("jdk.tls.namedGroups=secp256r1"), answer::toString);
        }
    }

    @Test
    void connectsAndTransfersInP256AndWithoutNamedGroup() throws Exception {
        try (Lines lines = new Lines("SunJSSE", scratch)) {
            lines.work("TLSv1.3 TLS_AES_256_GCM_SHA384 P-256 RSA-2048");
            lines.work("TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 P-256 ECDSA-P-256");
            lines.work("TLSv1.2 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-2048");
            lines.areUnsupported("TLSv1 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-1024", "no TLSv1 here");
            lines.areUnsupported("TLSv1.2 TLS_RSA_WITH_RC4_128_MD5 none RSA-1024", "no suite TLS_RSA_WITH_RC4_128_MD5 here");
        }
    }
}
