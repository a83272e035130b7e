package sealmark.log.reader;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Bytes in memory, which may have been sealed: whoever used them wipes them. */
final class Room extends OutputStream {
    /** A larger array is not kept for the next use. */
    private static final int KEPT = 4 << 20;

    private byte[] bytes = new byte[1 << 16];
    private int length;

    @Override
    public void write(int letter) {
        write(new byte[] {(byte) letter}, 0, 1);
    }

    @Override
    public void write(byte[] text, int from, int count) {
        if (bytes.length - length < count) {
            byte[] larger = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(length, count)));
            Arrays.fill(bytes, 0, length, (byte) 0);
            bytes = larger;
        }
        System.arraycopy(text, from, bytes, length, count);
        length += count;
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(bytes, 0, length);
    }

    /** Wipes the bytes, and is empty then. */
    void clear() {
        Arrays.fill(bytes, 0, length, (byte) 0);
        length = 0;
        if (bytes.length > KEPT) {
            bytes = new byte[1 << 16];
        }
    }
}
