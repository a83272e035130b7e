package sealmark.log.keys;

import java.util.Arrays;

/** Secret bytes until they are wiped. */
final class Wipeable implements AutoCloseable {
    private final byte[] bytes;
    private boolean isClosed;

    /** Takes over these bytes, which are no longer the caller's. */
    Wipeable(byte[] bytes) {
        this.bytes = bytes;
    }

    static void wipe(byte[] bytes) {
        Arrays.fill(bytes, (byte) 0);
    }

    /**
     * A copy; the caller wipes it.
     *
     * @throws IllegalStateException if they were wiped
     */
    synchronized byte[] bytes() {
        if (isClosed) {
            throw new IllegalStateException("this key was closed and wiped");
        }
        return bytes.clone();
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        wipe(bytes);
    }
}
