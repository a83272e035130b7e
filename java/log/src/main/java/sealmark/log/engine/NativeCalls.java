package sealmark.log.engine;

import java.nio.ByteBuffer;

/**
 * The functions of the native library {@code sealmark_jni}. It does not check the sessions and memory that it is given:
 * {@link NativeSession} and {@link NativeSlot} alone call it, and keep both alive during a call.
 */
final class NativeCalls {
    /** Names the library, a folder to unpack it into, or {@code off}. */
    static final String PROPERTY = "sealmark.log.native";
    /** The version that {@link #version} must answer. It rises when a function here changes. */
    static final String VERSION = "sealmark-jni 6";

    /** In place of a length. */
    static final int ENDED = -1;
    static final int TOO_LONG = -2;
    static final int LAYOUT = -3;
    static final int NOT_JSON = -5;

    private NativeCalls() {}

    static native String version();

    /**
     * A new session, to be freed.
     *
     * @param keys recipients in ASCII, one a line; or one pre-shared key
     * @param previous the session before it, 16 characters; null if that is not known
     * @param previousCount how many values that sealed; negative where that is not known
     */
    static native long begin(
            byte[] keys, boolean preShared, int padding, long limit, byte[] previous, long previousCount)
            throws SealException;

    static native byte[] id(long session);

    static native byte[] headerLines(long session, boolean json);

    /** The closing token; null if it has ended before. */
    static native byte[] close(long session);

    static native long count(long session);

    /** Wipes its keys, too. */
    static native void free(long session);

    /** Where a direct buffer begins. */
    static native long address(ByteBuffer buffer);

    /** Where the function begins that {@link Linked#sealChars} calls. */
    static native long linkedSealChars();

    /**
     * Seals characters in a room laid out as {@link NativeSlot} says; the token's length, or a negative number. Plaintext in
     * the room is zero afterwards.
     *
     * @param json whether the value is to be one JSON text, and its token to say so
     */
    static native int sealChars(long session, long room, int capacity, int label, int chars, boolean json);

    /** Seals bytes as {@link #sealChars} does characters. */
    static native int sealBytes(long session, long room, int capacity, int label, int bytes, boolean json);

    /**
     * Seals any bytes from one array into another, which must not be the same; the room has the label only. The token's
     * length, or a negative number.
     */
    static native int sealInArrays(
            long session, long room, int capacity, int label, byte[] value, int offset, int length, byte[] out, int at);

    /** The token of a value of any length, in memory of the library's own; null if the session has ended. */
    static native byte[] sealArray(long session, byte[] label, byte[] value, boolean json) throws SealException;
}
