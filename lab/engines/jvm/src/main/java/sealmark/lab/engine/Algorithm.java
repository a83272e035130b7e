package sealmark.lab.engine;

import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.List;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;

/** The algorithms of job {@code cipher}, and the names under which providers know them. */
enum Algorithm {
    DES("DES", 8, Nonce.NONE, "DES", "DES", "DES/ECB/PKCS5Padding"),
    DESEDE("DESede", 24, Nonce.NONE, "DESede", "DESede", "DESede/ECB/PKCS5Padding"),
    AES("AES", 16, Nonce.NONE, "AES", "AES", "AES/ECB/PKCS5Padding"),
    BLOWFISH("Blowfish", 16, Nonce.NONE, "Blowfish", "Blowfish", "Blowfish/ECB/PKCS5Padding"),
    RC2("RC2", 16, Nonce.NONE, "RC2", "RC2", "RC2/ECB/PKCS5Padding"),
    RC4("RC4", 16, Nonce.NONE, "RC4", "RC4", "ARCFOUR"),
    AES_128_GCM("AES-128-GCM", 16, Nonce.GCM, "AES", "AES/GCM/NoPadding"),
    AES_256_GCM("AES-256-GCM", 32, Nonce.GCM, "AES", "AES/GCM/NoPadding"),
    AES_256_GCM_SIV("AES-256-GCM-SIV", 32, Nonce.GCM, "AES", "AES/GCM-SIV/NoPadding"),
    CHACHA20_POLY1305("ChaCha20-Poly1305", 32, Nonce.IV, "ChaCha20", "ChaCha20-Poly1305");

    /** How a nonce is handed over. */
    enum Nonce { NONE, GCM, IV }

    private static final int TAG_BITS = 128;

    final String label;
    final int keyBytes;
    final Nonce nonce;

    /** The algorithm's name for {@link javax.crypto.spec.SecretKeySpec}. */
    final String keyName;

    /** Names for {@link javax.crypto.Cipher#getInstance(String)}; the one that most code uses comes first. */
    final List<String> transformations;

    Algorithm(String label, int keyBytes, Nonce nonce, String keyName, String... transformations) {
        this.label = label;
        this.keyBytes = keyBytes;
        this.nonce = nonce;
        this.keyName = keyName;
        this.transformations = Arrays.asList(transformations);
    }

    static Algorithm named(String label) throws Trouble {
        for (Algorithm algorithm : values()) {
            if (algorithm.label.equals(label)) {
                return algorithm;
            }
        }
        throw Trouble.unsupported("this engine knows no cipher \"" + label + "\"");
    }

    AlgorithmParameterSpec parameters(byte[] bytes) {
        return nonce == Nonce.GCM ? new GCMParameterSpec(TAG_BITS, bytes) : new IvParameterSpec(bytes);
    }
}
