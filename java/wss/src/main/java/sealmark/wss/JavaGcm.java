package sealmark.wss;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** AES-CTR of the JDK, which has the processor's instructions on all versions, and our own {@link Ghash}. */
final class JavaGcm extends Gcm {
    private static final int BLOCK = 16;
    /** A JVM compiles what is called often: with few long calls, most of 100 MB is encrypted by slow code. */
    private static final int STEP = 2048;

    private final byte[] iv;
    private final Cipher keyStream;
    private final Ghash hash;
    private long maskHigh;
    private long maskLow;
    /** The state of the hash after each piece, two numbers each. Secrets: two masked hashes give the hash key away. */
    private long[] states = new long[16];
    private int pieces;
    private int released;
    private long bytes;
    private long dataBytes;
    /** The state of the hash where the text begins. */
    private long dataHigh;
    private long dataLow;
    private boolean isClosed;

    JavaGcm(byte[] key, byte[] iv) throws InvalidKeyException {
        this.iv = iv.clone();
        try {
            keyStream = keyStream();
            SecretKeySpec aes = new SecretKeySpec(key, "AES");
            keyStream.init(Cipher.ENCRYPT_MODE, aes, new IvParameterSpec(new byte[BLOCK]));
            byte[] zeros = new byte[BLOCK];
            byte[] hashKey = keyStream.doFinal(zeros);
            hash = new Ghash(hashKey);
            Arrays.fill(hashKey, (byte) 0);
            // The counter's first value masks the tag, and the text begins with the second.
            ByteBuffer counter = ByteBuffer.allocate(BLOCK).put(iv).putInt(1);
            keyStream.init(Cipher.ENCRYPT_MODE, aes, new IvParameterSpec(counter.array()));
            byte[] mask = keyStream.update(zeros);
            maskHigh = ByteBuffer.wrap(mask).getLong(0);
            maskLow = ByteBuffer.wrap(mask).getLong(8);
            Arrays.fill(mask, (byte) 0);
        } catch (InvalidKeyException error) {
            throw error;
        } catch (GeneralSecurityException error) {
            throw new InvalidKeyException("no provider of this JVM can use the key for AES/CTR/NoPadding", error);
        }
    }

    /** Other providers, which may be first, are slower or keep the key in a device. */
    private static Cipher keyStream() throws GeneralSecurityException {
        try {
            return Cipher.getInstance("AES/CTR/NoPadding", "SunJCE");
        } catch (GeneralSecurityException error) {
            return Cipher.getInstance("AES/CTR/NoPadding");
        }
    }

    @Override
    byte[] iv() {
        return iv.clone();
    }

    /** Associated data, all of it, before the text. */
    synchronized void associate(byte[] data) {
        demandOpen();
        hash.update(data, data.length);
        dataBytes = data.length;
        dataHigh = hash.high();
        dataLow = hash.low();
    }

    @Override
    synchronized void authenticate(byte[] ciphertext, int length) {
        demandOpen();
        hash.update(ciphertext, length);
        if (2 * pieces == states.length) {
            long[] more = Arrays.copyOf(states, 2 * states.length);
            Arrays.fill(states, 0);
            states = more;
        }
        states[2 * pieces] = hash.high();
        states[2 * pieces + 1] = hash.low();
        pieces++;
        bytes += length;
    }

    @Override
    synchronized boolean isAuthentic(byte[] tag) {
        demandOpen();
        byte[] expected = tag();
        boolean isAuthentic = MessageDigest.isEqual(expected, tag);
        // It would be the tag that makes a forged payload authentic.
        Arrays.fill(expected, (byte) 0);
        hash.setState(dataHigh, dataLow);
        return isAuthentic;
    }

    @Override
    synchronized boolean release(byte[] text, int length) {
        demandOpen();
        hash.update(text, length);
        long difference = (hash.high() ^ states[2 * released]) | (hash.low() ^ states[2 * released + 1]);
        if (difference != 0) {
            return false;
        }
        released++;
        addKeyStream(text, length);
        return true;
    }

    @Override
    synchronized void seal(byte[] text, int length) {
        demandOpen();
        addKeyStream(text, length);
        hash.update(text, length);
        bytes += length;
    }

    @Override
    synchronized byte[] tag() {
        demandOpen();
        hash.update(8 * dataBytes, 8 * bytes);
        return ByteBuffer.allocate(TAG).putLong(hash.high() ^ maskHigh).putLong(hash.low() ^ maskLow).array();
    }

    private void addKeyStream(byte[] text, int length) {
        try {
            for (int at = 0; at < length; at += STEP) {
                int bytes = Math.min(STEP, length - at);
                if (keyStream.update(text, at, bytes, text, at) != bytes) {
                    throw new IllegalStateException("AES/CTR of " + keyStream.getProvider() + " held back bytes");
                }
            }
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("AES/CTR of " + keyStream.getProvider() + " failed", error);
        }
    }

    /** The JDK's cipher keeps its own copy of the key until it is collected. */
    @Override
    public synchronized void close() {
        isClosed = true;
        hash.wipe();
        Arrays.fill(states, 0);
        maskHigh = 0;
        maskLow = 0;
        dataHigh = 0;
        dataLow = 0;
    }

    /** After its keys were wiped, every piece would have the hash that it had before. */
    private void demandOpen() {
        if (isClosed) {
            throw new IllegalStateException("the payload is closed");
        }
    }
}
