package sealmark.log.reader;

import static sealmark.log.wrap.Header.COUNT;
import static sealmark.log.wrap.Header.COUNTED;
import static sealmark.log.wrap.Header.FLAGS;
import static sealmark.log.wrap.Header.ID;
import static sealmark.log.wrap.Header.MAC;
import static sealmark.log.wrap.Header.MOST_BYTES;
import static sealmark.log.wrap.Header.MOST_STANZAS;
import static sealmark.log.wrap.Header.ORDERED;
import static sealmark.log.wrap.Header.PREVIOUS;
import static sealmark.log.wrap.Header.PRE_SHARED;
import static sealmark.log.wrap.Header.SALT;
import static sealmark.log.wrap.Header.START;
import static sealmark.log.wrap.Header.TIME;
import static sealmark.log.wrap.Header.TIMED;
import static sealmark.log.wrap.Header.VERSION;
import static sealmark.log.wrap.Header.WRAPPED;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import sealmark.log.reader.OpenReport.Previous;
import sealmark.log.wrap.Base64Url;
import sealmark.log.wrap.Bytes;
import sealmark.log.wrap.Kem;

/** A header as it was read, with what can be checked without a key; not believed until its MAC is (spec/record.md). */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares two of them.
record ParsedHeader(byte[] bytes, List<Stanza> stanzas) {
    /** One wrapped copy of the session key: where its data stands. */
    record Stanza(int type, int from, int to) {}

    static ParsedHeader parse(byte[] bytes) throws HeaderException {
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
        return new ParsedHeader(bytes, stanzas);
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

    private static HeaderException tooShort() {
        return HeaderException.malformed("a log header is too short");
    }
}
