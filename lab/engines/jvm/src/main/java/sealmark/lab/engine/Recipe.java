package sealmark.lab.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Input, key and nonces that follow from a job's seed (spec/engine.md, "Inputs" and "Jobs"). */
public class Recipe {
    private static final int NONCE = 12;
    private static final int FIXED = 4;

    private final long seed;
    private final byte[] fixed;

    public Recipe(long seed) {
        this.seed = seed;
        this.fixed = bytes(seed + 2, FIXED);
    }

    public byte[] input(int length) {
        return bytes(seed, length);
    }

    /** A value of a log: the input as text of one byte a character. */
    byte[] value(int length) {
        byte[] value = input(length);
        for (int at = 0; at < length; at++) {
            value[at] = (byte) (' ' + (value[at] & 63));
        }
        return value;
    }

    byte[] key(int length) {
        return bytes(seed + 1, length);
    }

    /** The nonce of operation {@code number}: the fixed part, then the number, most significant byte first. */
    byte[] nonce(long number) {
        byte[] nonce = new byte[NONCE];
        System.arraycopy(fixed, 0, nonce, 0, FIXED);
        for (int at = NONCE - 1; at >= FIXED; at--) {
            nonce[at] = (byte) number;
            number >>>= 8;
        }
        return nonce;
    }

    /** The first bytes of the outputs of splitmix64, each least significant byte first. */
    static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        long state = seed;
        while (words.remaining() >= Long.BYTES) {
            words.putLong(mix(state += GOLDEN));
        }
        long last = mix(state + GOLDEN);
        for (; words.hasRemaining(); last >>>= 8) {
            words.put((byte) last);
        }
        return bytes;
    }

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private static long mix(long state) {
        long z = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
