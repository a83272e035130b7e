package sealmark.log.wrap;

import java.util.Optional;

/** HPKE (RFC 9180) in base mode for one message without associated data: HKDF-SHA256 and AES-256-GCM. */
public final class Hpke {
    private Hpke() {}

    /** The encapsulated key and behind it the ciphertext. */
    static byte[] seal(Kem kem, byte[] key, byte[] info, byte[] plaintext) {
        try (Encapsulated shared = kem.scheme().encapsulate(key);
                Message message = new Message(kem, shared.secret(), info)) {
            return Bytes.concat(shared.enc(), Aead.seal(message.key, message.nonce, plaintext));
        }
    }

    /** Empty where the ciphertext was not made for this key. */
    public static Optional<byte[]> open(Kem kem, byte[] secret, byte[] enc, byte[] info, byte[] ciphertext) {
        byte[] shared = kem.scheme().decapsulate(secret, enc);
        try (Message message = new Message(kem, shared, info)) {
            return Aead.open(message.key, message.nonce, ciphertext);
        } finally {
            Bytes.wipe(shared);
        }
    }

    /** The key schedule (section 5.1) up to the first message. */
    private static final class Message implements AutoCloseable {
        private static final byte[] NONE = {};
        private static final byte[] BASE = {0};

        private final byte[] key;
        private final byte[] nonce;

        Message(Kem kem, byte[] shared, byte[] info) {
            LabeledKdf kdf = LabeledKdf.ofHpke(kem.id());
            byte[] context = Bytes.concat(
                    BASE, kdf.extract(NONE, "psk_id_hash", NONE), kdf.extract(NONE, "info_hash", info));
            byte[] secret = kdf.extract(shared, "secret", NONE);
            key = kdf.expand(secret, "key", context, 32);
            nonce = kdf.expand(secret, "base_nonce", context, Aead.NONCE);
            Bytes.wipe(secret);
        }

        @Override
        public void close() {
            Bytes.wipe(key);
        }
    }
}
