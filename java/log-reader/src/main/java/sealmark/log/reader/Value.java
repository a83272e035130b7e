package sealmark.log.reader;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * An authentic value; closing it wipes it.
 *
 * @param counter its place among the session's values
 * @param plaintext taken over; its first bytes are the value
 * @param length the length of the value
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares two of them.
record Value(long counter, byte[] plaintext, int length) implements AutoCloseable {
    byte[] bytes() {
        return Arrays.copyOf(plaintext, length);
    }

    void write(OutputStream out) throws IOException {
        out.write(plaintext, 0, length);
    }

    @Override
    public void close() {
        Arrays.fill(plaintext, (byte) 0);
    }
}
