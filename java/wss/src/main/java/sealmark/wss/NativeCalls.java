package sealmark.wss;

/**
 * The functions of the native library {@code sealmark_jni} for payloads. It does not check the payloads that it is given:
 * {@link NativeGcm} alone calls it, one call at a time for each payload, and none after {@link #free}.
 */
final class NativeCalls {
    /** Names the library, a folder to unpack it into, or {@code off}. */
    static final String PROPERTY = "sealmark.wss.native";
    /** The version that {@link #version} must answer. It rises when a function here changes. */
    static final String VERSION = "sealmark-wss 1";

    private NativeCalls() {}

    static native String version();

    /** A payload to open, to be freed; 0 if there is none. */
    static native long open(byte[] key, byte[] iv);

    /** A payload to seal, to be freed; 0 if there is none. */
    static native long seal(byte[] key);

    /** Authenticates, releases or seals the next piece, in place; false if it is refused. */
    static native boolean piece(long payload, byte[] text, int length);

    /** Ends the first pass; pieces are released from then on if this is true. */
    static native boolean verify(long payload, byte[] tag);

    /** The vector of a payload that is sealed. */
    static native byte[] iv(long payload);

    /** Ends a payload that is sealed. */
    static native byte[] tag(long payload);

    /** Wipes its keys, too. */
    static native void free(long payload);
}
