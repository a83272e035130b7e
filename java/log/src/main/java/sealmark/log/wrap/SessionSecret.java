package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.SecureRandom;
import java.util.Arrays;

/** The one secret of a log session, and what follows from it (spec/record.md, "Session"). Closing it wipes it. */
public final class SessionSecret implements AutoCloseable {
    static final int LENGTH = 32;

    private static final byte[] ID = "sealmark/1 log session".getBytes(US_ASCII);
    private static final byte[] VALUE = "sealmark/1 log value".getBytes(US_ASCII);
    private static final byte[] HEADER = "sealmark/1 log header".getBytes(US_ASCII);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] bytes;
    private final byte[] id;
    private volatile boolean isClosed;

    private SessionSecret(byte[] bytes) {
        this.bytes = bytes;
        this.id = Arrays.copyOf(derive(ID), Header.ID);
    }

    /** A new random one. */
    public static SessionSecret generate() {
        byte[] bytes = new byte[LENGTH];
        RANDOM.nextBytes(bytes);
        return taking(bytes);
    }

    /**
     * One of known bytes, which are copied.
     *
     * @throws IllegalArgumentException if they are not 32
     */
    public static SessionSecret of(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException("a session key has " + LENGTH + " bytes, not " + bytes.length);
        }
        return taking(bytes.clone());
    }

    /** One of these bytes, which are no longer the caller's. */
    public static SessionSecret taking(byte[] bytes) {
        return new SessionSecret(bytes);
    }

    /** The session's twelve bytes, which every token has in the clear. */
    public byte[] id() {
        return id.clone();
    }

    /** The session as tokens write it: 16 characters. */
    public String idText() {
        return Base64Url.encode(id);
    }

    /** The key of this session's values, 32 bytes; the caller wipes it. */
    public byte[] valueKey() {
        return derive(VALUE);
    }

    /**
     * A header that wraps this key for {@code readers}; each is another. Costs a key encapsulation for each recipient.
     *
     * @param previous the session before; null if the header does not name it
     * @throws IllegalStateException if this Java runtime lacks an algorithm; the hint says what to add
     */
    public byte[] header(Readers readers, Previous previous) {
        requireOpen();
        return Header.write(this, bytes, readers, previous);
    }

    /**
     * A header that wraps this key for other readers, with the facts of the header that it had.
     *
     * @param header was opened, and stays as it is
     */
    public byte[] rewrapped(byte[] header, Readers readers) {
        requireOpen();
        return Header.rewrite(header, this, bytes, readers);
    }

    /** The header's MAC. */
    public byte[] mac(byte[] authenticated) {
        byte[] key = derive(HEADER);
        try {
            return Hkdf.hmac(key, authenticated);
        } finally {
            Bytes.wipe(key);
        }
    }

    /** Wipes the key; what was derived from it stays with who asked for it. */
    @Override
    public void close() {
        isClosed = true;
        Bytes.wipe(bytes);
    }

    /** Says which session it is the secret of, and nothing of the secret. */
    @Override
    public String toString() {
        return "SessionSecret(" + idText() + ")";
    }

    private byte[] derive(byte[] info) {
        requireOpen();
        return Hkdf.derive(bytes, new byte[0], info);
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the secret of this log session was wiped");
        }
    }
}
