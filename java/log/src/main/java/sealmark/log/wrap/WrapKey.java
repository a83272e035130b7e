package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.US_ASCII;

import sealmark.log.keys.PreSharedKey;

/** The key that wraps one session key for who has a pre-shared key, by a salt that is used once. */
final class WrapKey {
    /** Fixed, as each wrap key seals one message. */
    static final byte[] NONCE = new byte[Aead.NONCE];

    private static final byte[] INFO = "sealmark/1 log psk".getBytes(US_ASCII);

    private WrapKey() {}

    /** The caller wipes it. */
    static byte[] of(PreSharedKey key, byte[] salt) {
        byte[] secret = key.secretBytes();
        try {
            return Hkdf.derive(secret, salt, INFO);
        } finally {
            Bytes.wipe(secret);
        }
    }
}
