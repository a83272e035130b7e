package sealmark.log.wrap;

/** HPKE (RFC 9180) in base mode for one message without associated data: HKDF-SHA256 and AES-256-GCM. */
public final class Hpke {
    private Hpke() {}

    /** The encapsulated key and behind it the ciphertext. */
    public static byte[] seal(Kem kem, byte[] key, byte[] info, byte[] plaintext) {
        try (Encapsulated shared = kem.scheme().encapsulate(key);
                Message message = Message.of(kem, shared.secret(), info)) {
            return Bytes.concat(shared.enc(), Aead.seal(message.key, message.nonce, plaintext));
        }
    }

    /** The key and the nonce of the first message. Closing it wipes the key. */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares two of them.
    public record Message(byte[] key, byte[] nonce) implements AutoCloseable {
        private static final byte[] NONE = {};
        private static final byte[] BASE = {0};

        /** The key schedule (section 5.1). */
        public static Message of(Kem kem, byte[] shared, byte[] info) {
            LabeledKdf kdf = LabeledKdf.ofHpke(kem.id());
            byte[] context = Bytes.concat(
                    BASE, kdf.extract(NONE, "psk_id_hash", NONE), kdf.extract(NONE, "info_hash", info));
            byte[] secret = kdf.extract(shared, "secret", NONE);
            byte[] key = kdf.expand(secret, "key", context, 32);
            byte[] nonce = kdf.expand(secret, "base_nonce", context, Aead.NONCE);
            Bytes.wipe(secret);
            return new Message(key, nonce);
        }

        @Override
        public void close() {
            Bytes.wipe(key);
        }
    }
}
