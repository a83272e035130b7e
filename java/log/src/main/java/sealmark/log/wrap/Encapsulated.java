package sealmark.log.wrap;

/** A shared secret, and what lets the holder of the secret key find it. Closing it wipes the secret. */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares two of them.
public record Encapsulated(byte[] secret, byte[] enc) implements AutoCloseable {
    @Override
    public void close() {
        Bytes.wipe(secret);
    }
}
