package sealmark.log.wrap;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;

/** Small work on byte arrays. */
public final class Bytes {
    private Bytes() {}

    public static byte[] concat(byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(Stream.of(parts).mapToInt(part -> part.length).sum());
        Stream.of(parts).forEach(all::put);
        return all.array();
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
