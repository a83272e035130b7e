package sealmark.log.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import sealmark.log.Label;
import sealmark.log.Shape;
import sealmark.log.json.JsonText;
import sealmark.log.wrap.Base64Url;
import sealmark.log.wrap.SessionSecret;

/** A session in pure Java: AES-256-GCM by the JCA, a cipher for each desk. */
final class JavaSession extends Session {
    private final String id;
    private final byte[] header;
    private final ValueKey key;
    private final Layout layout;
    private final Counters counters;
    final JavaDesk[] desks = new JavaDesk[Desk.COUNT];
    private boolean closed;

    JavaSession(SessionSecret secret, byte[] header, int padding, long limit) {
        this.id = secret.idText();
        this.header = header;
        this.key = new ValueKey(secret.valueKey());
        this.layout = new Layout(id, padding);
        this.counters = new Counters(limit);
        Arrays.setAll(desks, any -> new JavaDesk());
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String headerLines(Shape shape) {
        return Parts.lines(id, header, shape);
    }

    @Override
    public String seal(Kind kind, Label label, String value) throws SealException {
        layout.check(value.length());
        byte[] bytes = value.getBytes(UTF_8);
        try {
            return sealBytes(kind, label, bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    private String sealBytes(Kind kind, Label label, byte[] value) throws SealException {
        int length = tokenLength(label, value.length);
        check(kind, value, 0, value.length);
        JavaDesk desk = Desk.take(desks);
        try {
            byte[] token = desk.roomFor(length);
            int written = sealAt(desk, kind, label, value, 0, value.length, token, 0);
            return written == ENDED ? null : new String(token, 0, written, ISO_8859_1);
        } finally {
            desk.taken = 0;
        }
    }

    @Override
    public int seal(Kind kind, Label label, byte[] value, int offset, int length, byte[] out, int at)
            throws SealException {
        if (tokenLength(label, length) > out.length - at) {
            throw new SealException("the output array is too small for the token of a value of " + length + " bytes");
        }
        return kind == Kind.JSON || value == out
                ? sealCopy(kind, label, Arrays.copyOfRange(value, offset, offset + length), out, at)
                : sealAtDesk(kind, label, value, offset, length, out, at);
    }

    /** Seals a copy of JSON, which another thread could change after the check, or of a value in the output array, whose head is written first. */
    private int sealCopy(Kind kind, Label label, byte[] value, byte[] out, int at) throws SealException {
        try {
            check(kind, value, 0, value.length);
            return sealAtDesk(kind, label, value, 0, value.length, out, at);
        } finally {
            Arrays.fill(value, (byte) 0);
        }
    }

    private int sealAtDesk(Kind kind, Label label, byte[] value, int offset, int length, byte[] out, int at)
            throws SealException {
        JavaDesk desk = Desk.take(desks);
        try {
            return sealAt(desk, kind, label, value, offset, length, out, at);
        } finally {
            desk.taken = 0;
        }
    }

    private static void check(Kind kind, byte[] value, int offset, int length) throws SealException {
        if (kind == Kind.JSON && !JsonText.is(value, offset, offset + length)) {
            throw Kind.notJson();
        }
    }

    private int tokenLength(Label label, int length) throws SealException {
        return Layout.headLength(label) + Layout.bodyLength(layout.padded(length)) + 1;
    }

    private int sealAt(JavaDesk desk, Kind kind, Label label, byte[] value, int offset, int length, byte[] out, int at)
            throws SealException {
        int padded = layout.padded(length);
        byte[] body = desk.bodyFor(Layout.COUNTER + padded + Layout.TAG);
        Cipher cipher = desk.cipher();
        int head = Layout.headLength(label);
        layout.writeHead(kind, label, out, at);
        long counter = counters.next(desk.share);
        if (counter < 0) {
            return ENDED;
        }
        putCounter(desk.nonce, NONCE - Layout.COUNTER, counter);
        putCounter(body, 0, counter);
        desk.start(cipher, key, out, at, head);
        if (padded == length) {
            desk.finish(cipher, value, offset, length, body);
        } else {
            sealPadded(desk, cipher, value, offset, length, body);
        }
        int chars = desk.encode(body, out, at + head);
        out[at + head + chars] = '~';
        return head + chars + 1;
    }

    private void sealPadded(JavaDesk desk, Cipher cipher, byte[] value, int offset, int length, byte[] body)
            throws SealException {
        byte[] plaintext = new byte[body.length - Layout.COUNTER - Layout.TAG];
        try {
            System.arraycopy(value, offset, plaintext, 0, length);
            layout.mark(plaintext, length);
            desk.finish(cipher, plaintext, 0, plaintext.length, body);
        } finally {
            Arrays.fill(plaintext, (byte) 0);
        }
    }

    private static void putCounter(byte[] bytes, int at, long counter) {
        bytes[at] = (byte) (counter >>> 24);
        bytes[at + 1] = (byte) (counter >>> 16);
        bytes[at + 2] = (byte) (counter >>> 8);
        bytes[at + 3] = (byte) counter;
    }

    @Override
    public long count() {
        return counters.used(shares(desks));
    }

    @Override
    public boolean isAtRest() {
        return Arrays.stream(desks).allMatch(desk -> desk.isFreeWithin(MOMENT_NANOS));
    }

    @Override
    public synchronized String close() {
        return closed ? null : end(false);
    }

    @Override
    public synchronized void destroy() {
        end(true);
    }

    /** The closing token; null if it is to be destroyed, or a desk is lost. */
    private String end(boolean isToBeDestroyed) {
        closed = true;
        JavaDesk[] taken = new JavaDesk[desks.length];
        try {
            boolean isAll = takeAll(taken);
            // From here on every desk finds the limit reached.
            Counters.Tally tally = counters.end(shares(taken));
            if (!isToBeDestroyed) {
                return isAll ? closingToken(tally) : null;
            }
            // A thread that still has a desk may go on to seal, and must not do so with a key of zeros.
            if (isAll) {
                key.destroy();
            }
            present(taken).forEach(JavaDesk::forget);
            return null;
        } finally {
            // Without a call or an object: there may be no memory for one.
            for (int at = 0; at < taken.length; at++) {
                if (taken[at] != null) {
                    taken[at].taken = 0;
                }
            }
        }
    }

    /** Spec/record.md, "Closing". */
    private String closingToken(Counters.Tally tally) {
        ByteBuffer unused = ByteBuffer.allocate(8 * tally.unused().size());
        tally.unused().forEach(run -> unused.putInt((int) run.first()).putInt((int) run.number()));
        byte[] head = ("~s1z~" + id + "~").getBytes(ISO_8859_1);
        byte[] nonce = ByteBuffer.allocate(NONCE).put((byte) 1).putLong(4, tally.count()).array();
        try {
            Cipher cipher = Cipher.getInstance(JavaDesk.TRANSFORMATION);
            cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(8 * Layout.TAG, nonce));
            cipher.updateAAD(head);
            byte[] sealed = cipher.doFinal(unused.array());
            byte[] body = ByteBuffer.allocate(8 + sealed.length).putLong(tally.count()).put(sealed).array();
            return "~s1z~" + id + "~" + Base64Url.encode(body) + "~";
        } catch (GeneralSecurityException error) {
            // Values were sealed with this cipher; without the token the session looks like one that crashed.
            return null;
        }
    }

    private static List<Counters.Share> shares(JavaDesk[] desks) {
        return present(desks).map(desk -> desk.share).toList();
    }

    private static Stream<JavaDesk> present(JavaDesk[] desks) {
        return Arrays.stream(desks).filter(Objects::nonNull);
    }

    /** All desks, unless a thread was lost with one: false then. */
    private boolean takeAll(JavaDesk[] taken) {
        boolean isAll = true;
        for (int at = 0; at < desks.length; at++) {
            if (desks[at].takeSoon()) {
                taken[at] = desks[at];
            } else {
                isAll = false;
            }
        }
        return isAll;
    }

    private static final int NONCE = 12;
    /** A thread that lost its processor has it again by then, mostly. */
    private static final long MOMENT_NANOS = 20_000_000L;

    /** A cipher, a nonce, and room for a token; nothing in it is plaintext. */
    static final class JavaDesk extends Desk {
        static final String TRANSFORMATION = "AES/GCM/NoPadding";
        /** Longer tokens get an array of their own each. */
        private static final int LARGEST_ROOM = 1 << 15;
        private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

        final Counters.Share share = new Counters.Share();
        final byte[] nonce = new byte[NONCE];
        private Cipher cipher;
        private byte[] room = new byte[0];
        private byte[] body = new byte[0];
        private byte[] characters = new byte[0];

        byte[] roomFor(int length) {
            byte[] found = room.length < length ? new byte[Math.max(length, 256)] : room;
            room = found.length <= LARGEST_ROOM ? found : room;
            return found;
        }

        /** An array of exactly that length, as encoders need it. Values of one field often have one length. */
        byte[] bodyFor(int length) {
            byte[] found = body.length == length ? body : new byte[length];
            body = length <= LARGEST_ROOM ? found : body;
            return found;
        }

        Cipher cipher() throws SealException {
            try {
                return cipher == null ? Cipher.getInstance(TRANSFORMATION) : cipher;
            } catch (GeneralSecurityException error) {
                throw new SealException("this Java runtime has no cipher " + TRANSFORMATION, error);
            }
        }

        void start(Cipher started, SecretKey key, byte[] head, int at, int length) throws SealException {
            cipher = null;
            try {
                started.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(8 * Layout.TAG, nonce));
                started.updateAAD(head, at, length);
            } catch (GeneralSecurityException error) {
                throw new SealException("the cipher " + TRANSFORMATION + " of this Java runtime rejects the key", error);
            }
        }

        /** The cipher is kept only where all went well. */
        void finish(Cipher started, byte[] value, int offset, int length, byte[] sealed) throws SealException {
            try {
                started.doFinal(value, offset, length, sealed, Layout.COUNTER);
                cipher = started;
            } catch (GeneralSecurityException error) {
                throw new SealException("the cipher " + TRANSFORMATION + " of this Java runtime did not seal a value of " + length + " bytes", error);
            }
        }

        /** The encoder writes to the beginning of an array only. */
        int encode(byte[] sealed, byte[] out, int at) {
            int most = (4 * sealed.length + 2) / 3;
            byte[] found = characters.length < most ? new byte[Math.max(most, 256)] : characters;
            characters = found.length <= LARGEST_ROOM ? found : characters;
            int length = ENCODER.encode(sealed, found);
            System.arraycopy(found, 0, out, at, length);
            return length;
        }

        void forget() {
            cipher = null;
            room = new byte[0];
            body = new byte[0];
            characters = new byte[0];
        }
    }
}
