package sealmark.wss;

import java.security.InvalidKeyException;
import java.util.Optional;

/** The engine of the Rust library, which AES-NI and carry-less multiplication make fast from the first byte on. */
final class NativeGcm extends Gcm {
    private final byte[] iv;
    /** 0 after it was freed. */
    private long payload;

    private NativeGcm(long payload, byte[] iv) throws InvalidKeyException {
        if (payload == 0) {
            throw new InvalidKeyException("the native library cannot use the key");
        }
        this.payload = payload;
        this.iv = iv == null ? NativeCalls.iv(payload) : iv.clone();
    }

    /**
     * True if there is native code.
     *
     * @throws IllegalStateException if the user named a library that cannot be loaded
     */
    static boolean isThere() {
        Optional<String> missing = NativeLibrary.missing();
        if (missing.isPresent() && NativeLibrary.isNamed()) {
            throw new IllegalStateException(missing.get() + ": correct the system property " + NativeCalls.PROPERTY
                    + ", or set it to off");
        }
        return !missing.isPresent();
    }

    /** It has no AES-192. */
    static boolean canUse(byte[] key) {
        return key.length != 24 && isThere();
    }

    static NativeGcm opening(byte[] key, byte[] iv) throws InvalidKeyException {
        return new NativeGcm(NativeCalls.open(key, iv), iv);
    }

    static NativeGcm sealing(byte[] key) throws InvalidKeyException {
        return new NativeGcm(NativeCalls.seal(key), null);
    }

    @Override
    byte[] iv() {
        return iv.clone();
    }

    @Override
    synchronized void authenticate(byte[] ciphertext, int length) {
        demandDone(NativeCalls.piece(alive(), ciphertext, length));
    }

    @Override
    synchronized boolean isAuthentic(byte[] tag) {
        return NativeCalls.verify(alive(), tag);
    }

    @Override
    synchronized boolean release(byte[] text, int length) {
        return NativeCalls.piece(alive(), text, length);
    }

    @Override
    synchronized void seal(byte[] text, int length) {
        demandDone(NativeCalls.piece(alive(), text, length));
    }

    @Override
    synchronized byte[] tag() {
        byte[] tag = NativeCalls.tag(alive());
        demandDone(tag != null);
        return tag;
    }

    private long alive() {
        if (payload == 0) {
            throw new IllegalStateException("the payload is closed");
        }
        return payload;
    }

    private static void demandDone(boolean isDone) {
        if (!isDone) {
            throw new IllegalStateException("the native library refused a piece of the payload");
        }
    }

    @Override
    public synchronized void close() {
        if (payload != 0) {
            NativeCalls.free(payload);
            payload = 0;
        }
    }
}
