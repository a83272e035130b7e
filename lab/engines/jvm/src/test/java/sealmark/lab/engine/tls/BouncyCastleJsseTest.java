package sealmark.lab.engine.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bouncy Castle's TLS. */
class BouncyCastleJsseTest {
    @TempDir
    private Path scratch;

    @Test
    void connectsAndTransfers() throws Exception {
        try (Lines lines = new Lines("BCJSSE", scratch)) {
            lines.work("TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 P-256 ECDSA-P-256");
            lines.work("TLSv1.2 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-2048");
            lines.work("TLSv1.2 TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 DH-2048 RSA-2048");
            lines.areUnsupported("TLSv1.2 TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 DH-1024 RSA-2048", "less than 2048 bits");
            lines.areUnsupported("TLSv1 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-1024", "no TLSv1 here");
        }
    }

    @Test
    void connectsButResumesNothingInTls13() throws Exception {
        try (Lines lines = new Lines("BCJSSE", scratch)) {
            for (String terms : new String[] {"TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256",
                "TLSv1.3 TLS_CHACHA20_POLY1305_SHA256 X25519MLKEM768 Ed25519"}) {
                for (String shape : Lines.SHAPES) {
                    lines.connect(terms, shape, false);
                    lines.transfer(terms, shape);
                }
                lines.ready("tls-connect", terms, "memory", 1, "");
                Map<String, String> answer = lines.talk().ask(Talk.time("resumed", 0, 1));
                assertEquals("unsupported", answer.get("answer"));
                assertTrue(answer.get("why").contains("resumes no session of TLSv1.3"), answer::toString);
            }
        }
    }
}
