package sealmark.lab.engine;

/** The functions of lab/engines/native: byte arrays in and out, nothing kept between calls. */
final class NativeBytes {
    private NativeBytes() {}

    static native String version();

    static native byte[] encode(byte[] plain);

    static native byte[] decode(byte[] encoded);

    static native byte[] rc4(byte[] key, byte[] input);
}
