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
import sealmark.log.wrap.HeaderParts;
import sealmark.log.wrap.Secret;
import sealmark.log.wrap.SessionSecret;
import sealmark.log.wrap.Tally;

/** A session in pure Java: AES-256-GCM by the JCA, a cipher for each slot. */
final class JavaSession extends Session {
    private final String id;
    private final byte[] header;
    private final Secret key;
    private final Layout layout;
    /** The heads of tokens up to their label, and between label and body. */
    private final byte[] any;
    private final byte[] json;
    private final byte[] session;
    private final Counters counters;
    final JavaSlot[] slots = new JavaSlot[Slot.COUNT];
    private boolean closed;

    JavaSession(SessionSecret secret, byte[] header, int padding, long limit) {
        this.id = secret.idText();
        this.header = header;
        this.key = new Secret("AES", secret.valueKey());
        this.layout = new Layout(padding);
        this.any = (padding == 0 ? "~s1a~" : "~s1p~").getBytes(ISO_8859_1);
        this.json = (padding == 0 ? "~s1j~" : "~s1q~").getBytes(ISO_8859_1);
        this.session = ("~" + id + "~").getBytes(ISO_8859_1);
        this.counters = new Counters(limit);
        Arrays.setAll(slots, any -> new JavaSlot());
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String headerLines(Shape shape) {
        return HeaderParts.lines(id, header, shape);
    }

    @Override
    public String seal(Kind kind, Label label, String value) throws SealException {
        layout.check(value.length());
        byte[] bytes = value.getBytes(UTF_8);
        try {
            layout.check(bytes.length);
            byte[] token = new byte[layout.tokenLength(label, bytes.length)];
            int written = sealChecked(kind, label, bytes, token, 0);
            return written == ENDED ? null : new String(token, 0, written, ISO_8859_1);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    @Override
    public int seal(Kind kind, Label label, byte[] value, int offset, int length, byte[] out, int at)
            throws SealException {
        layout.check(length);
        if (layout.tokenLength(label, length) > out.length - at) {
            throw new SealException("the output array is too small for the token of a value of " + length + " bytes");
        }
        if (kind == Kind.ANY && value != out) {
            return sealAtSlot(kind, label, value, offset, length, out, at);
        }
        // JSON, which another thread could change after the check; or a value in the output, whose head is written first.
        byte[] copy = Arrays.copyOfRange(value, offset, offset + length);
        try {
            return sealChecked(kind, label, copy, out, at);
        } finally {
            Arrays.fill(copy, (byte) 0);
        }
    }

    private int sealChecked(Kind kind, Label label, byte[] value, byte[] out, int at) throws SealException {
        if (kind == Kind.JSON && !JsonText.is(value, 0, value.length)) {
            throw Kind.notJson();
        }
        return sealAtSlot(kind, label, value, 0, value.length, out, at);
    }

    private int sealAtSlot(Kind kind, Label label, byte[] value, int offset, int length, byte[] out, int at)
            throws SealException {
        JavaSlot slot = Slot.take(slots);
        try {
            return sealAt(slot, kind, label, value, offset, length, out, at);
        } finally {
            slot.taken = 0;
        }
    }

    private int sealAt(JavaSlot slot, Kind kind, Label label, byte[] value, int offset, int length, byte[] out, int at)
            throws SealException {
        int padded = layout.padded(length);
        byte[] body = slot.bodyFor(Layout.COUNTER + padded + Layout.TAG);
        Cipher cipher = slot.cipher();
        int head = Layout.headLength(label);
        System.arraycopy(kind == Kind.JSON ? json : any, 0, out, at, Layout.SUITE);
        label.copyTo(out, at + Layout.SUITE);
        System.arraycopy(session, 0, out, at + head - Layout.ID, Layout.ID);
        long counter = counters.next(slot.share);
        if (counter < 0) {
            return ENDED;
        }
        ByteBuffer.wrap(slot.nonce).putInt(NONCE - Layout.COUNTER, (int) counter);
        ByteBuffer.wrap(body).putInt((int) counter);
        slot.start(cipher, key, out, at, head);
        if (padded == length) {
            slot.finish(cipher, value, offset, length, body);
        } else {
            sealPadded(slot, cipher, value, offset, length, body);
        }
        int chars = slot.encode(body, out, at + head);
        out[at + head + chars] = '~';
        return head + chars + 1;
    }

    private void sealPadded(JavaSlot slot, Cipher cipher, byte[] value, int offset, int length, byte[] body)
            throws SealException {
        byte[] plaintext = new byte[body.length - Layout.COUNTER - Layout.TAG];
        try {
            System.arraycopy(value, offset, plaintext, 0, length);
            // The end of the value (ISO/IEC 9797-1, padding method 2).
            plaintext[length] = (byte) 0x80;
            slot.finish(cipher, plaintext, 0, plaintext.length, body);
        } finally {
            Arrays.fill(plaintext, (byte) 0);
        }
    }

    @Override
    public long count() {
        return counters.used(shares(slots));
    }

    @Override
    public boolean isAtRest() {
        return Arrays.stream(slots).allMatch(slot -> slot.isFreeWithin(MOMENT_NANOS));
    }

    @Override
    public synchronized String close() {
        return closed ? null : end(false);
    }

    @Override
    public synchronized void destroy() {
        end(true);
    }

    /** The closing token; null if it is to be destroyed, or a slot is lost. */
    private String end(boolean isToBeDestroyed) {
        closed = true;
        JavaSlot[] taken = new JavaSlot[slots.length];
        try {
            boolean isAll = takeAll(taken);
            // From here on every slot finds the limit reached.
            Tally tally = counters.end(shares(taken));
            if (!isToBeDestroyed) {
                return isAll ? closingToken(tally) : null;
            }
            // A thread that still has a slot may go on to seal, and must not do so with a key of zeros.
            if (isAll) {
                key.destroy();
            }
            present(taken).forEach(JavaSlot::forget);
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
    private String closingToken(Tally tally) {
        byte[] head = ("~s1z~" + id + "~").getBytes(ISO_8859_1);
        byte[] nonce = ByteBuffer.allocate(NONCE).put((byte) 1).putLong(4, tally.count()).array();
        try {
            Cipher cipher = Cipher.getInstance(JavaSlot.TRANSFORMATION);
            cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(8 * Layout.TAG, nonce));
            cipher.updateAAD(head);
            byte[] sealed = cipher.doFinal(tally.runs());
            byte[] body = ByteBuffer.allocate(8 + sealed.length).putLong(tally.count()).put(sealed).array();
            return "~s1z~" + id + "~" + Base64Url.encode(body) + "~";
        } catch (GeneralSecurityException error) {
            // Values were sealed with this cipher; without the token the session looks like one that crashed.
            return null;
        }
    }

    private static List<Counters.Share> shares(JavaSlot[] slots) {
        return present(slots).map(slot -> slot.share).toList();
    }

    private static Stream<JavaSlot> present(JavaSlot[] slots) {
        return Arrays.stream(slots).filter(Objects::nonNull);
    }

    /** All slots, unless a thread was lost with one: false then. */
    private boolean takeAll(JavaSlot[] taken) {
        boolean isAll = true;
        for (int at = 0; at < slots.length; at++) {
            if (slots[at].takeSoon()) {
                taken[at] = slots[at];
            } else {
                isAll = false;
            }
        }
        return isAll;
    }

    private static final int NONCE = 12;
    /** A thread that lost its processor has it again by then, mostly. */
    private static final long MOMENT_NANOS = 20_000_000L;

    /** A cipher, a nonce, and room for a token's body; nothing in it is plaintext. */
    static final class JavaSlot extends Slot {
        static final String TRANSFORMATION = "AES/GCM/NoPadding";
        /** Longer tokens get an array of their own each. */
        private static final int LARGEST_ROOM = 1 << 15;
        private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

        final Counters.Share share = new Counters.Share();
        final byte[] nonce = new byte[NONCE];
        private Cipher cipher;
        private byte[] body = new byte[0];
        private byte[] characters = new byte[0];

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
            body = new byte[0];
            characters = new byte[0];
        }
    }
}
