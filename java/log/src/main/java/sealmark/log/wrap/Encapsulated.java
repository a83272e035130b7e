package sealmark.log.wrap;

/** A shared secret, and what lets the holder of the secret key find it. Closing it wipes the secret. */
final class Encapsulated implements AutoCloseable {
    private final byte[] secret;
    private final byte[] enc;

    Encapsulated(byte[] secret, byte[] enc) {
        this.secret = secret;
        this.enc = enc;
    }

    byte[] secret() {
        return secret;
    }

    byte[] enc() {
        return enc;
    }

    @Override
    public void close() {
        Bytes.wipe(secret);
    }
}
