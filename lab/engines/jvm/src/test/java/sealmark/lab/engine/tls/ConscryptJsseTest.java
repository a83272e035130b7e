package sealmark.lab.engine.tls;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** BoringSSL by Conscrypt. */
class ConscryptJsseTest {
    @TempDir
    private Path scratch;

    @Test
    void connectsAndTransfersInX25519() throws Exception {
        try (Lines lines = new Lines("Conscrypt", scratch)) {
            lines.work("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 RSA-2048");
            lines.work("TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 X25519 RSA-2048");
            lines.areUnsupported("TLSv1.3 TLS_AES_256_GCM_SHA384 X25519 RSA-2048", "cannot be told which suite");
            lines.areUnsupported("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 Ed25519", "no key of its own kind");
        }
    }

    @Test
    void doesNoFiniteField() throws Exception {
        try (Lines lines = new Lines("Conscrypt", scratch)) {
            lines.areUnsupported("TLSv1.2 TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 DH-2048 RSA-2048", "no suite TLS_DHE_RSA");
        }
    }

    @Test
    void connectsAndTransfersWithTheHybridGroup() throws Exception {
        try (Lines lines = new Lines("Conscrypt", scratch)) {
            lines.work("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519MLKEM768 ECDSA-P-256");
        }
    }
}
