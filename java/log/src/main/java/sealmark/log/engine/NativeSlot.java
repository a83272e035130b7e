package sealmark.log.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.util.Arrays;
import sealmark.log.Label;
import sealmark.log.grammar.Grammar;

/**
 * A room outside the heap, in which the native library finds a value and leaves its token:
 *
 * <pre>
 * characters:  label (64) | characters (2 n) | their UTF-8 (3 n) | token
 * linked:      label (64) | UTF-8 of characters elsewhere (3 n)
 * bytes:       label (64) | value (n)                            | token
 * </pre>
 *
 * <p>No plaintext is left in it. Values that need more than {@link #LARGEST_ROOM} are not sealed here.
 */
final class NativeSlot extends Slot {
    private static final ByteBuffer NO_ROOM = ByteBuffer.allocate(0);
    /** Characters on their way to a room at once: few enough to be in the nearest cache still when they are wiped. */
    private static final int STEP = 1 << 10;

    /** The slots of all sessions, so that memory outside the heap is taken once and never given back. */
    private static final NativeSlot[] ALL = new NativeSlot[Slot.COUNT];

    static {
        Arrays.setAll(ALL, any -> new NativeSlot());
    }

    private static final int LARGEST_ROOM = 1 << 17;
    private static final int SMALLEST_ROOM = 1 << 10;
    private static final int LABEL = Grammar.LONGEST_LABEL;
    private static final int LEAST_IN_ARRAYS = 512;
    private static final int MOST_TOKEN_IN_ARRAYS = 1 << 17;

    /** After so many texts at one slot the application is no short one, and {@link Linked} is worth what it costs. */
    private static final int MANY = 20_000;
    /** Padding makes long tokens of short values, too. */
    private static final int MOST_LINKED_TOKEN = 1 << 13;

    /** True if {@link Linked} works and is used. */
    private static boolean linked;

    private ByteBuffer room = NO_ROOM;
    private CharBuffer characters;
    private long address;
    private Label label;
    /** On the way to and from the room. */
    private final char[] value = new char[STEP];
    private byte[] token = new byte[0];
    /** The addresses of both arrays, as {@link Linked} has them. */
    private Object valueSegment;
    private Object tokenSegment;
    private int texts;

    /** One that nobody else has. */
    static NativeSlot takeAny() {
        return take(ALL);
    }

    /** True when everybody has given back the slot that he had when this was called; false if somebody never does. */
    static boolean passAll() {
        boolean allPassed = true;
        for (NativeSlot slot : ALL) {
            if (slot.takeSoon()) {
                slot.taken = 0;
            } else {
                allPassed = false;
            }
        }
        return allPassed;
    }

    /** From now on, values are sealed that way. */
    static void useLinked(boolean isWanted) {
        linked = isWanted;
    }

    static boolean isLinked() {
        return linked;
    }

    /** True when so many texts were sealed here that it is time for {@link Linked}. */
    boolean isDue() {
        return texts == MANY;
    }

    static boolean hasRoomForChars(int chars, int mostToken) {
        return mostToken <= LARGEST_ROOM && chars <= (LARGEST_ROOM - LABEL - mostToken) / 5;
    }

    /** True if bytes are sealed here: in their arrays, or in the room. */
    static boolean hasRoomForBytes(Kind kind, byte[] value, int length, byte[] out, int token) {
        return shouldStayInArrays(kind, value, length, out, token)
                || (token <= LARGEST_ROOM && length <= LARGEST_ROOM - LABEL - token);
    }

    /**
     * True if it costs less to make the garbage collector wait than to copy. It waits for some microseconds at most, so JSON
     * is not parsed meanwhile.
     */
    private static boolean shouldStayInArrays(Kind kind, byte[] value, int length, byte[] out, int token) {
        return kind == Kind.ANY && value != out && length >= LEAST_IN_ARRAYS && token <= MOST_TOKEN_IN_ARRAYS;
    }

    /**
     * Seals a text, whose token {@link #tokenOf} has then, or bytes into {@code out}. No plaintext is left here.
     *
     * @param text null for bytes
     * @param mostToken the most bytes that the token can have
     * @return the length of the token, or a negative number
     */
    int seal(long session, Kind kind, Label name, String text, byte[] bytes, int offset, int length, int mostToken,
            byte[] out, int at) {
        boolean isWiped = false;
        try {
            int sealed = text != null ? sealChars(session, kind, name, text, mostToken)
                    : shouldStayInArrays(kind, bytes, length, out, mostToken)
                            ? sealInArrays(session, name, bytes, offset, length, out, at)
                            : sealBytes(session, kind, name, bytes, offset, length, mostToken, out, at);
            if (sealed < NativeCalls.ENDED) {
                wipeUnlessTaken(sealed);
            }
            isWiped = true;
            return sealed;
        } finally {
            // Without a call: the thread may be out of stack just then.
            if (!isWiped) {
                room = NO_ROOM;
                for (int wiped = 0; wiped < STEP; wiped++) {
                    value[wiped] = '\0';
                }
            }
        }
    }

    private int sealChars(long session, Kind kind, Label name, String text, int mostToken) {
        boolean isShort = kind == Kind.ANY && text.length() <= STEP && mostToken <= MOST_LINKED_TOKEN;
        texts += isShort ? 1 : 0;
        return linked && isShort ? sealLinked(session, name, text, mostToken)
                : sealCopied(session, kind, name, text, mostToken);
    }

    private int sealLinked(long session, Label name, String text, int mostToken) {
        int chars = text.length();
        prepare(name, LABEL + 3 * chars);
        makeRoomForToken(mostToken);
        if (tokenSegment == null) {
            valueSegment = Linked.segmentOf(value);
            tokenSegment = Linked.segmentOf(token);
        }
        text.getChars(0, chars, value, 0);
        return Linked.sealChars(
                session, address, room.capacity(), name.length(), valueSegment, chars, tokenSegment, token.length);
    }

    private int sealCopied(long session, Kind kind, Label name, String text, int mostToken) {
        int chars = text.length();
        prepare(name, LABEL + 5 * chars + mostToken);
        for (int at = 0; at < chars; at += STEP) {
            int end = Math.min(at + STEP, chars);
            text.getChars(at, end, value, 0);
            characters.put(at, value, 0, end - at);
        }
        Arrays.fill(value, 0, Math.min(STEP, chars), '\0');
        int sealed = NativeCalls.sealChars(session, address, room.capacity(), name.length(), chars, kind == Kind.JSON);
        if (sealed > 0) {
            makeRoomForToken(sealed);
            room.get(LABEL + 5 * chars, token, 0, sealed);
        }
        return sealed;
    }

    private int sealBytes(long session, Kind kind, Label name, byte[] bytes, int offset, int length, int mostToken,
            byte[] out, int at) {
        prepare(name, LABEL + length + mostToken);
        room.put(LABEL, bytes, offset, length);
        int sealed = NativeCalls.sealBytes(session, address, room.capacity(), name.length(), length, kind == Kind.JSON);
        if (sealed > 0) {
            room.get(LABEL + length, out, at, sealed);
        }
        return sealed;
    }

    /** The library wipes a room that it could make something of. */
    private void wipeUnlessTaken(int answer) {
        if (answer != NativeCalls.TOO_LONG && answer != NativeCalls.NOT_JSON) {
            for (int at = 0; at < room.capacity(); at++) {
                room.put(at, (byte) 0);
            }
            label = null;
        }
    }

    /** In two arrays that are not one. */
    private int sealInArrays(long session, Label name, byte[] bytes, int offset, int length, byte[] out, int at) {
        prepare(name, LABEL);
        return NativeCalls.sealInArrays(
                session, address, room.capacity(), name.length(), bytes, offset, length, out, at);
    }

    /** The token of characters that was just made, of that length. */
    String tokenOf(int length) {
        return new String(token, 0, length, ISO_8859_1);
    }

    private void makeRoomForToken(int length) {
        if (token.length < length) {
            token = new byte[Integer.highestOneBit(length | SMALLEST_ROOM / 2) * 2];
            tokenSegment = null;
        }
    }

    /** All or nothing of it is changed, even where the thread runs out of stack amid it. */
    private void prepare(Label name, int capacity) {
        if (capacity > room.capacity()) {
            ByteBuffer larger = ByteBuffer.allocateDirect(Integer.highestOneBit(capacity | SMALLEST_ROOM / 2) * 2);
            CharBuffer itsCharacters =
                    larger.slice(LABEL, larger.capacity() - LABEL).order(ByteOrder.nativeOrder()).asCharBuffer();
            long itsAddress = NativeCalls.address(larger);
            label = null;
            room = larger;
            characters = itsCharacters;
            address = itsAddress;
        }
        if (!name.equals(label)) {
            byte[] bytes = name.toString().getBytes(ISO_8859_1);
            label = null;
            room.put(0, bytes);
            label = name;
        }
    }
}
