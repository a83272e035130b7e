package sealmark.wss;

import java.io.Closeable;
import java.security.InvalidKeyException;
import java.security.SecureRandom;

/**
 * AES-GCM over one payload, piece by piece. Every piece but the last has {@link #PIECE} bytes.
 *
 * <p>To open a payload, {@link #authenticate} sees all pieces, {@link #isAuthentic} compares the tag, and {@link #release}
 * decrypts the pieces once more in order, each only if it is the piece that was authenticated. To seal one, {@link #seal} sees
 * all pieces, and {@link #tag} ends it.
 */
abstract class Gcm implements Closeable {
    static final int IV = 12;
    static final int TAG = 16;
    /** A hash of 16 bytes is kept for each: 12 KiB for 100 MB. */
    static final int PIECE = 128 * 1024;
    /** After 2^36 - 32 bytes the counter would start again (NIST SP 800-38D, section 5.2.1.1). */
    static final long MAX_PLAINTEXT = (1L << 36) - 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** An engine for a payload that is to be opened. The key is copied. */
    static Gcm opening(byte[] key, byte[] iv) throws InvalidKeyException {
        demandLength(key);
        return NativeGcm.canUse(key) ? NativeGcm.opening(key, iv) : new JavaGcm(key, iv);
    }

    /** An engine for a payload that is to be sealed, under a random vector. The key is copied. */
    static Gcm sealing(byte[] key) throws InvalidKeyException {
        demandLength(key);
        if (NativeGcm.canUse(key)) {
            return NativeGcm.sealing(key);
        }
        byte[] iv = new byte[IV];
        RANDOM.nextBytes(iv);
        return new JavaGcm(key, iv);
    }

    private static void demandLength(byte[] key) throws InvalidKeyException {
        if (key.length != 16 && key.length != 24 && key.length != 32) {
            throw new InvalidKeyException("an AES key has 16, 24 or 32 bytes, and this key has " + key.length);
        }
    }

    abstract byte[] iv();

    /** The first pass. */
    abstract void authenticate(byte[] ciphertext, int length);

    /** Ends the first pass. */
    abstract boolean isAuthentic(byte[] tag);

    /** The second pass: decrypts in place, or leaves the piece alone and returns false. */
    abstract boolean release(byte[] text, int length);

    /** Encrypts in place. */
    abstract void seal(byte[] text, int length);

    abstract byte[] tag();

    /** Wipes the keys. */
    @Override
    public abstract void close();
}
