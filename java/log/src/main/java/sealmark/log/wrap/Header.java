package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import sealmark.log.OpenReport.Previous;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;

/**
 * A header as it was read, with what can be checked without a key; not believed until its MAC is (spec/record.md, "Header").
 * Writes one, too.
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares two of them.
record Header(byte[] bytes, List<Stanza> stanzas) {
    static final int ID = 12;
    static final int MAC = 32;
    /** A wrapped session key with its tag. */
    static final int WRAPPED = SessionSecret.LENGTH + Aead.TAG;
    /** The type of a stanza that a pre-shared key opens. */
    static final int PRE_SHARED = 0;
    static final int MOST_STANZAS = 1000;
    /** Fixed, because each wrap key seals one message. */
    static final byte[] WRAP_NONCE = new byte[Aead.NONCE];

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int VERSION = 1;
    private static final int COUNT = 8;
    private static final int TIME = 8;
    private static final int SALT = 32;
    private static final int MOST_BYTES = 1_900_000;
    /** Version, session, flags, the session before and its count, the time, number of stanzas. */
    private static final int START = 1 + ID + 1 + ID + COUNT + TIME + 2;
    private static final int FLAGS = 1 + ID;
    private static final int ORDERED = 1;
    private static final int PREVIOUS = 2;
    private static final int COUNTED = 4;
    private static final int TIMED = 8;

    /** One wrapped copy of the session key: where its data stands. */
    record Stanza(int type, int from, int to) {}

    static Header parse(byte[] bytes) throws HeaderException {
        if (bytes.length > MOST_BYTES) {
            throw HeaderException.malformed("more bytes than a log header may have");
        }
        if (bytes.length < START + MAC) {
            throw tooShort();
        }
        if (bytes[0] != VERSION) {
            throw HeaderException.malformed("a log header of unknown version");
        }
        checkFlags(bytes);
        int count = Bytes.number(bytes, START - 2);
        if (count == 0 || count > MOST_STANZAS) {
            throw HeaderException.malformed("no stanza, or too many");
        }
        List<Stanza> stanzas = stanzas(bytes, count);
        if (count > 1 && stanzas.stream().anyMatch(stanza -> stanza.type == PRE_SHARED)) {
            throw HeaderException.malformed("a pre-shared key's stanza is not alone");
        }
        return new Header(bytes, stanzas);
    }

    /** One form only: a field whose flag is not set is zero. */
    private static void checkFlags(byte[] bytes) throws HeaderException {
        int flags = bytes[FLAGS] & 0xff;
        boolean isPrevious = (flags & PREVIOUS) != 0;
        boolean isCounted = (flags & COUNTED) != 0;
        int previous = FLAGS + 1;
        int count = previous + ID;
        int time = count + COUNT;
        if ((flags & ~(ORDERED | PREVIOUS | COUNTED | TIMED)) != 0 || (isCounted && !isPrevious)
                || (!isPrevious && !Bytes.isZero(bytes, previous, count))
                || (!isCounted && !Bytes.isZero(bytes, count, time))
                || ((flags & TIMED) == 0 && !Bytes.isZero(bytes, time, time + TIME))) {
            throw HeaderException.malformed("the flags contradict the rest of the header");
        }
    }

    HeaderFacts facts() {
        int flags = bytes[FLAGS];
        ByteBuffer before = ByteBuffer.wrap(bytes, FLAGS + 1, ID + COUNT + TIME);
        byte[] id = new byte[ID];
        before.get(id);
        // No session has 2^63 values; who says so gets no smaller number for it.
        long count = atMost(before.getLong(), Long.MAX_VALUE);
        Instant began = (flags & TIMED) == 0 ? null
                : Instant.ofEpochSecond(atMost(before.getLong(), Instant.MAX.getEpochSecond()));
        OptionalLong counted = (flags & COUNTED) == 0 ? OptionalLong.empty() : OptionalLong.of(count);
        return new HeaderFacts((flags & ORDERED) != 0,
                (flags & PREVIOUS) == 0 ? null : new Previous(Base64Url.encode(id), counted), began);
    }

    private static long atMost(long unsigned, long most) {
        return unsigned < 0 ? most : Math.min(unsigned, most);
    }

    /** The id that the header has in it. */
    byte[] id() {
        return Arrays.copyOfRange(bytes, 1, 1 + ID);
    }

    /** A stanza's data but for the wrapped key: an encapsulated key, or a salt. */
    byte[] opening(Stanza stanza) {
        return Arrays.copyOfRange(bytes, stanza.from, stanza.to - WRAPPED);
    }

    byte[] wrapped(Stanza stanza) {
        return Arrays.copyOfRange(bytes, stanza.to - WRAPPED, stanza.to);
    }

    /** The bytes that the MAC covers. */
    byte[] authenticated() {
        return Arrays.copyOf(bytes, bytes.length - MAC);
    }

    byte[] mac() {
        return Arrays.copyOfRange(bytes, bytes.length - MAC, bytes.length);
    }

    private static List<Stanza> stanzas(byte[] bytes, int count) throws HeaderException {
        int end = bytes.length - MAC;
        int at = START;
        List<Stanza> stanzas = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Stanza stanza = stanza(bytes, at, end);
            stanzas.add(stanza);
            at = stanza.to;
        }
        if (at != end) {
            throw HeaderException.malformed("extra bytes after the stanzas");
        }
        return stanzas;
    }

    private static Stanza stanza(byte[] bytes, int at, int end) throws HeaderException {
        // The MAC stands behind the end: type and length can be read whatever is left.
        int type = Bytes.number(bytes, at);
        int length = Bytes.number(bytes, at + 2);
        // Before anything is opened: a longer ciphertext could open under several keys (partitioning oracle).
        if (length != lengthOf(type, length)) {
            throw HeaderException.malformed("a stanza has the wrong length for its type");
        }
        if (end - at - 4 < length) {
            throw tooShort();
        }
        return new Stanza(type, at + 4, at + 4 + length);
    }

    /** Any suits a type that is not known here. */
    private static int lengthOf(int type, int found) {
        return type == PRE_SHARED ? SALT + WRAPPED
                : Kem.find(kem -> kem.id() == type).map(kem -> kem.encLength() + WRAPPED).orElse(found);
    }

    /**
     * Wraps a session key for its readers, and knows no secret key of theirs.
     *
     * @param sessionKey the bytes of {@code secret}
     * @param previous the session before; null if that is not known
     */
    static byte[] write(SessionSecret secret, byte[] sessionKey, Readers readers, Previous previous) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<Recipient> recipients = readers.recipients();
        out.write(VERSION);
        out.writeBytes(secret.id());
        // Several threads may seal: order is never promised.
        OptionalLong count = previous == null ? OptionalLong.empty() : previous.count();
        out.write(TIMED | (previous == null ? 0 : PREVIOUS) | (count.isPresent() ? COUNTED : 0));
        out.writeBytes(previous == null ? new byte[ID] : Base64Url.decode(previous.session()));
        out.writeBytes(ByteBuffer.allocate(COUNT + TIME)
                .putLong(count.orElse(0))
                .putLong(Math.max(0, Instant.now().getEpochSecond())).array());
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
            return Bytes.concat(salt, Aead.seal(wrapKey, WRAP_NONCE, sessionKey));
        } finally {
            Bytes.wipe(wrapKey);
        }
    }

    /** Wraps one session key for the holders of a pre-shared key, by a salt that is used once. The caller wipes it. */
    static byte[] wrapKey(PreSharedKey key, byte[] salt) {
        byte[] secret = key.secretBytes();
        try {
            return Hkdf.derive(secret, salt, "sealmark/1 log psk".getBytes(US_ASCII));
        } finally {
            Bytes.wipe(secret);
        }
    }

    private static HeaderException tooShort() {
        return HeaderException.malformed("a log header is too short");
    }
}
