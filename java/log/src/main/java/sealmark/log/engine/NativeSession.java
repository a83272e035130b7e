package sealmark.log.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Objects;
import sealmark.log.Label;
import sealmark.log.Shape;

/**
 * A session of the native library: keys and counters are there, and never in the heap.
 *
 * <p>A thread that seals takes a slot first, then looks if the session was destroyed. A thread that destroys it says so first,
 * then waits until every slot was given back once, and frees the session then: no thread seals with it any more, nor will.
 */
final class NativeSession extends Session {
    private static final Cleaner CLEANER = Cleaner.create();
    /** Longer texts need no arithmetic that could overflow. */
    private static final int MOST_POOLED_CHARS = 1 << 15;
    /** UTF-8 has at most so many bytes for one {@code char}. */
    private static final int MOST_BYTES = 3;

    private final String id;
    private final String plainLines;
    private final String jsonLines;
    private final Layout layout;
    private final Held held;
    private final Cleaner.Cleanable cleanable;
    private volatile boolean destroyed;
    private long lastCount;

    /** Takes over a session that {@link NativeCalls#begin} made. */
    NativeSession(long handle, int padding) {
        this.held = new Held(handle);
        this.cleanable = CLEANER.register(this, held);
        this.id = new String(NativeCalls.id(handle), ISO_8859_1);
        this.plainLines = new String(NativeCalls.headerLines(handle, false), ISO_8859_1);
        this.jsonLines = new String(NativeCalls.headerLines(handle, true), ISO_8859_1);
        this.layout = new Layout(padding);
    }

    /** Frees a session that was forgotten, too. */
    private record Held(long handle) implements Runnable {
        @Override
        public void run() {
            NativeCalls.free(handle);
        }
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String headerLines(Shape shape) {
        return shape == Shape.JSON ? jsonLines : plainLines;
    }

    @Override
    public String seal(Kind kind, Label label, String value) throws SealException {
        int chars = value.length();
        if (chars > MOST_POOLED_CHARS || !NativeSlot.hasRoomForChars(chars, mostOf(label, chars))) {
            layout.check(chars);
            byte[] token = sealApart(kind, label, value.getBytes(UTF_8));
            return token == null ? null : new String(token, ISO_8859_1);
        }
        return sealAtSlot(kind, label, value, null, 0, chars, mostOf(label, chars), null, 0);
    }

    private int mostOf(Label label, int chars) {
        return layout.tokenLength(label, MOST_BYTES * chars);
    }

    @Override
    public int seal(Kind kind, Label label, byte[] value, int offset, int length, byte[] out, int at)
            throws SealException {
        Objects.checkFromIndexSize(offset, length, value.length);
        layout.check(length);
        int tokenLength = layout.tokenLength(label, length);
        if (tokenLength > out.length - at || at < 0) {
            throw new SealException("the output array is too small for the token of a value of " + length + " bytes");
        }
        if (NativeSlot.hasRoomForBytes(kind, value, length, out, tokenLength)) {
            return sealAtSlot(kind, label, null, value, offset, length, tokenLength, out, at) == null ? ENDED : tokenLength;
        }
        byte[] token = sealApart(kind, label, Arrays.copyOfRange(value, offset, offset + length));
        if (token == null) {
            return ENDED;
        }
        System.arraycopy(token, 0, out, at, token.length);
        return token.length;
    }

    /**
     * Seals one value at a slot that no other thread has meanwhile.
     *
     * @param text null if bytes are to be sealed into {@code out}
     * @return the token of the text, or the empty text for bytes; null if the session has ended
     */
    private String sealAtSlot(Kind kind, Label label, String text, byte[] value, int offset, int length, int mostToken,
            byte[] out, int at) throws SealException {
        NativeSlot slot = NativeSlot.takeAny();
        boolean isBack = false;
        try {
            int sealed = destroyed ? ENDED
                    : slot.seal(held.handle, kind, label, text, value, offset, length, mostToken, out, at);
            check(sealed, length);
            String token = sealed == ENDED ? null : text == null ? "" : slot.tokenOf(sealed);
            boolean isDue = text != null && slot.isDue();
            slot.giveBack();
            isBack = true;
            if (isDue) {
                link();
            }
            return token;
        } finally {
            if (!isBack) {
                slot.taken = 0;
            }
            Reference.reachabilityFence(this);
        }
    }

    /** Prepares {@link Linked}. If that fails, JNI goes on: a token was made. */
    private static void link() {
        try {
            StackRoom.require();
            Linked.begin();
        } catch (Throwable error) {
            return;
        }
    }

    /** Seals a value that is too large for a slot. It takes one all the same, because destroying a session waits for slots. */
    private byte[] sealApart(Kind kind, Label label, byte[] value) throws SealException {
        try {
            layout.check(value.length);
            byte[] name = label.toString().getBytes(ISO_8859_1);
            NativeSlot slot = NativeSlot.takeAny();
            try {
                return destroyed ? null : NativeCalls.sealArray(held.handle, name, value, kind == Kind.JSON);
            } finally {
                slot.taken = 0;
                Reference.reachabilityFence(this);
            }
        } finally {
            Arrays.fill(value, (byte) 0);
        }
    }

    private void check(int sealed, int length) throws SealException {
        if (sealed < ENDED) {
            throw switch (sealed) {
                case NativeCalls.TOO_LONG -> layout.tooLong();
                case NativeCalls.NOT_JSON -> Kind.notJson();
                default -> new SealException("the native library did not seal a value of length " + length);
            };
        }
    }

    @Override
    public synchronized long count() {
        return destroyed ? lastCount : NativeCalls.count(held.handle);
    }

    @Override
    public synchronized String close() {
        byte[] token = destroyed ? null : NativeCalls.close(held.handle);
        return token == null ? null : new String(token, ISO_8859_1);
    }

    @Override
    public synchronized void destroy() {
        if (!destroyed) {
            destroyed = true;
            boolean isFree = NativeSlot.passAll();
            lastCount = NativeCalls.count(held.handle);
            // Where a thread was lost with a slot, it may still be inside: the memory stays then.
            if (isFree) {
                cleanable.clean();
            }
        }
    }
}
