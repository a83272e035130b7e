package sealmark.log.wrap;

import java.util.Arrays;

/** Small work on byte arrays. */
public final class Bytes {
    private Bytes() {}

    public static byte[] concat(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        byte[] all = new byte[length];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }

    public static void wipe(byte[]... secrets) {
        for (byte[] secret : secrets) {
            Arrays.fill(secret, (byte) 0);
        }
    }

    /** Two bytes, the more significant first. */
    public static byte[] number(int value) {
        return new byte[] {(byte) (value >> 8), (byte) value};
    }

    public static int number(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
    }

    /** Takes the same time whatever the bytes are, because they may be secret. */
    public static boolean isZero(byte[] bytes, int from, int to) {
        int seen = 0;
        for (int at = from; at < to; at++) {
            seen |= bytes[at];
        }
        return seen == 0;
    }
}
