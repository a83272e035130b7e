package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;

/** The layout of a header (spec/record.md, "Header"), and how one is written. */
public final class Header {
    public static final int ID = 12;
    public static final int MAC = 32;
    /** A wrapped session key with its tag. */
    public static final int WRAPPED = SessionSecret.LENGTH + Aead.TAG;
    /** The type of a stanza that a pre-shared key opens. */
    public static final int PRE_SHARED = 0;
    public static final int MOST_STANZAS = 1000;

    private static final SecureRandom RANDOM = new SecureRandom();
    public static final int VERSION = 1;
    public static final int COUNT = 8;
    public static final int TIME = 8;
    public static final int SALT = 32;
    public static final int MOST_BYTES = 1_900_000;
    /** Version, session, flags, the session before and its count, the time, number of stanzas. */
    public static final int START = 1 + ID + 1 + ID + COUNT + TIME + 2;
    public static final int FLAGS = 1 + ID;
    public static final int ORDERED = 1;
    public static final int PREVIOUS = 2;
    public static final int COUNTED = 4;
    public static final int TIMED = 8;

    private Header() {}

    /**
     * Wraps a session key for its readers, and knows no secret key of theirs.
     *
     * @param sessionKey the bytes of {@code secret}
     * @param previous the session before; null if that is not known
     */
    static byte[] write(SessionSecret secret, byte[] sessionKey, Readers readers, Previous previous) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(VERSION);
        out.writeBytes(secret.id());
        // Several threads may seal: order is never promised.
        OptionalLong count = previous == null ? OptionalLong.empty() : previous.count();
        out.write(TIMED | (previous == null ? 0 : PREVIOUS) | (count.isPresent() ? COUNTED : 0));
        out.writeBytes(previous == null ? new byte[ID] : Base64Url.decode(previous.session()));
        out.writeBytes(ByteBuffer.allocate(COUNT + TIME)
                .putLong(count.orElse(0))
                .putLong(Math.max(0, Instant.now().getEpochSecond())).array());
        return write(out, secret, sessionKey, readers);
    }

    /** Wraps a session key for other readers; the facts are those of the header that it had. */
    static byte[] rewrite(byte[] header, SessionSecret secret, byte[] sessionKey, Readers readers) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(header, 0, START - 2);
        return write(out, secret, sessionKey, readers);
    }

    private static byte[] write(ByteArrayOutputStream out, SessionSecret secret, byte[] sessionKey, Readers readers) {
        List<Recipient> recipients = readers.recipients();
        out.writeBytes(Bytes.number(recipients.size() + (readers.preShared().isPresent() ? 1 : 0)));
        for (Recipient recipient : recipients) {
            Kem kem = Kem.ofWord(recipient.type());
            writeStanza(out, kem.id(), Hpke.seal(kem, recipient.bytes(), kem.info(), sessionKey));
        }
        readers.preShared().ifPresent(key -> writeStanza(out, PRE_SHARED, underPreShared(key, sessionKey)));
        out.writeBytes(secret.mac(out.toByteArray()));
        return out.toByteArray();
    }

    private static void writeStanza(ByteArrayOutputStream out, int type, byte[] data) {
        out.writeBytes(Bytes.number(type));
        out.writeBytes(Bytes.number(data.length));
        out.writeBytes(data);
    }

    private static byte[] underPreShared(PreSharedKey key, byte[] sessionKey) {
        byte[] salt = new byte[SALT];
        RANDOM.nextBytes(salt);
        byte[] wrapKey = wrapKey(key, salt);
        try {
            return Bytes.concat(salt, Aead.seal(wrapKey, wrapNonce(), sessionKey));
        } finally {
            Bytes.wipe(wrapKey);
        }
    }

    /** Fixed, because each wrap key seals one message. */
    public static byte[] wrapNonce() {
        return new byte[Aead.NONCE];
    }

    /** Wraps one session key for the holders of a pre-shared key, by a salt that is used once. The caller wipes it. */
    public static byte[] wrapKey(PreSharedKey key, byte[] salt) {
        byte[] secret = key.secretBytes();
        try {
            return Hkdf.derive(secret, salt, "sealmark/1 log psk".getBytes(US_ASCII));
        } finally {
            Bytes.wipe(secret);
        }
    }
}
