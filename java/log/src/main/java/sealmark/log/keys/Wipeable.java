package sealmark.log.keys;

import java.util.Arrays;

/** A key whose bytes are secret until they are wiped. */
abstract class Wipeable implements AutoCloseable {
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
     * The key in its HPKE serialisation, or the bytes of a pre-shared key.
     *
     * @return a copy, which the caller wipes
     * @throws IllegalStateException if this key was closed
     */
    public final synchronized byte[] secretBytes() {
        if (isClosed) {
            throw new IllegalStateException("this key was closed and wiped");
        }
        return bytes.clone();
    }

    /** Wipes the key. */
    @Override
    public final synchronized void close() {
        isClosed = true;
        wipe(bytes);
    }
}
