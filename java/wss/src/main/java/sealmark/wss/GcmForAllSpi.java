package sealmark.wss;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;

/**
 * The cipher of {@link SealmarkProvider#installForAll}: it also serves callers without an attachment of ours. It holds a
 * message that it decrypts in memory, and returns its plaintext from {@code doFinal}, once the tag is verified.
 *
 * <p>It serves initialization vectors of 12 bytes, tags of 16 bytes and keys that export their bytes; it wraps no keys. The
 * next provider serves all else.
 */
final class GcmForAllSpi extends GcmSpi {
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Null while an attachment or the next provider does the work. */
    private Message message;
    /** Key and vector of the latest encryption must not be used again. */
    private byte[] lastKey;
    private byte[] lastIv;

    @Override
    void start() {
        message = null;
    }

    @Override
    boolean takes(int mode, Key key, AlgorithmParameterSpec parameters, SecureRandom random)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        boolean encrypts = mode == Cipher.ENCRYPT_MODE;
        byte[] iv = encrypts && parameters == null ? randomIv(random) : ivOf(parameters);
        byte[] bytes = bytesOf(key);
        if (bytes == null || iv == null) {
            return false;
        }
        if (encrypts) {
            if (Arrays.equals(iv, lastIv) && MessageDigest.isEqual(bytes, lastKey)) {
                throw new InvalidAlgorithmParameterException("the cipher has encrypted with this key and initialization vector"
                        + " before: use another vector");
            }
            lastKey = bytes;
            lastIv = iv;
        }
        boolean wraps = !encrypts && mode != Cipher.DECRYPT_MODE;
        if (wraps || iv.length != Gcm.IV || !has16ByteTag(parameters)) {
            return false;
        }
        message = encrypts ? Message.encrypting(bytes, iv) : Message.decrypting(bytes, iv);
        return true;
    }

    private static byte[] randomIv(SecureRandom random) {
        byte[] iv = new byte[Gcm.IV];
        (random == null ? RANDOM : random).nextBytes(iv);
        return iv;
    }

    private static byte[] ivOf(AlgorithmParameterSpec parameters) {
        return parameters instanceof GCMParameterSpec ? ((GCMParameterSpec) parameters).getIV() : null;
    }

    private static boolean has16ByteTag(AlgorithmParameterSpec parameters) {
        return parameters == null || ((GCMParameterSpec) parameters).getTLen() == 8 * Gcm.TAG;
    }

    /** Null for a key that is not one of AES, or does not export its bytes. */
    private static byte[] bytesOf(Key key) {
        byte[] bytes = key != null && "AES".equalsIgnoreCase(key.getAlgorithm()) && "RAW".equals(key.getFormat())
                ? key.getEncoded() : null;
        return bytes != null && (bytes.length == 16 || bytes.length == 24 || bytes.length == 32) ? bytes : null;
    }

    @Override
    protected int engineGetOutputSize(int length) {
        return message == null ? super.engineGetOutputSize(length) : message.roomFor(length);
    }

    @Override
    protected byte[] engineGetIV() {
        return message == null ? super.engineGetIV() : message.iv.clone();
    }

    @Override
    protected AlgorithmParameters engineGetParameters() {
        return message == null ? super.engineGetParameters() : parametersOf(message.iv);
    }

    @Override
    protected void engineUpdateAAD(byte[] data, int offset, int length) {
        if (message == null) {
            super.engineUpdateAAD(data, offset, length);
        } else {
            message.addData(data, offset, length);
        }
    }

    @Override
    protected void engineUpdateAAD(ByteBuffer data) {
        if (message == null) {
            super.engineUpdateAAD(data);
        } else {
            byte[] bytes = taken(data);
            message.addData(bytes, 0, bytes.length);
        }
    }

    @Override
    protected byte[] engineUpdate(byte[] in, int offset, int length) {
        if (message == null) {
            return super.engineUpdate(in, offset, length);
        }
        byte[] out = message.update(in, offset, length);
        return out.length == 0 ? null : out;
    }

    @Override
    protected int engineUpdate(byte[] in, int offset, int length, byte[] out, int at) throws ShortBufferException {
        if (message == null) {
            return super.engineUpdate(in, offset, length, out, at);
        }
        demandRoom(message.sizeOfUpdate(length), out.length - at);
        byte[] text = message.update(in, offset, length);
        System.arraycopy(text, 0, out, at, text.length);
        return text.length;
    }

    @Override
    protected int engineUpdate(ByteBuffer in, ByteBuffer out) throws ShortBufferException {
        if (message == null) {
            return super.engineUpdate(in, out);
        }
        demandRoom(message.sizeOfUpdate(in.remaining()), out.remaining());
        byte[] bytes = taken(in);
        byte[] text = message.update(bytes, 0, bytes.length);
        out.put(text);
        return text.length;
    }

    @Override
    protected byte[] engineDoFinal(byte[] in, int offset, int length) throws IllegalBlockSizeException, BadPaddingException {
        if (message == null) {
            return super.engineDoFinal(in, offset, length);
        }
        byte[] out = new byte[message.sizeOfFinish(length)];
        finish(in, offset, length, out, 0);
        return out;
    }

    @Override
    protected int engineDoFinal(byte[] in, int offset, int length, byte[] out, int at)
            throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
        if (message == null) {
            return super.engineDoFinal(in, offset, length, out, at);
        }
        int size = message.sizeOfFinish(length);
        demandRoom(size, out.length - at);
        finish(in, offset, length, out, at);
        return size;
    }

    @Override
    protected int engineDoFinal(ByteBuffer in, ByteBuffer out)
            throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
        if (message == null) {
            return super.engineDoFinal(in, out);
        }
        byte[] text = new byte[message.sizeOfFinish(in.remaining())];
        demandRoom(text.length, out.remaining());
        byte[] bytes = taken(in);
        finish(bytes, 0, bytes.length, text, 0);
        out.put(text);
        return text.length;
    }

    private void finish(byte[] in, int offset, int length, byte[] out, int at) throws AEADBadTagException {
        Message finished = message;
        try {
            finished.finish(in, offset, length, out, at);
        } finally {
            message = finished.after();
        }
    }

    /** Before anything is taken, so that the caller can try again with more room. */
    private static void demandRoom(int needed, int room) throws ShortBufferException {
        if (needed > room) {
            throw new ShortBufferException("the output has room for " + room + " bytes, but needs " + needed);
        }
    }

    /** A copy, because input and output may overlap. */
    private static byte[] taken(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
