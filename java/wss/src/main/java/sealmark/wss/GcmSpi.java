package sealmark.wss;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidParameterSpecException;
import java.util.Arrays;
import java.util.regex.Pattern;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;

/**
 * The cipher of one {@link AttachmentSource}: it passes what the source has verified and decrypted.
 *
 * <p>JCE offers it a key only on a thread that has such a source ({@link SealmarkProvider#install}), with two exceptions: an
 * application names the provider, or asks a cipher for its provider or block size before it initializes it, which makes JCE
 * take the first provider. The next provider's cipher then does the work, so that such an application notices nothing of us.
 */
class GcmSpi extends CipherSpi {
    static final String TRANSFORMATION = "AES/GCM/NoPadding";
    /** JCE has names for one length of keys, which other providers serve. */
    private static final Pattern GCM = Pattern.compile("AES(_128|_192|_256)?/GCM/NoPadding", Pattern.CASE_INSENSITIVE);
    private static final String NO_DATA = "attachments have no associated data (XML Encryption 1.1, section 5.2.4)";
    private static final int BLOCK = 16;

    private AttachmentSource source;
    private byte[] iv;
    /** The next provider's; kept while there is no source. */
    private Cipher other;

    static boolean isGcm(String transformation) {
        return GCM.matcher(transformation).matches();
    }

    @Override
    protected void engineSetMode(String mode) throws NoSuchAlgorithmException {
        if (!mode.equalsIgnoreCase("GCM")) {
            throw new NoSuchAlgorithmException("the provider Sealmark has no mode " + mode);
        }
    }

    @Override
    protected void engineSetPadding(String padding) throws NoSuchPaddingException {
        if (!padding.equalsIgnoreCase("NoPadding")) {
            throw new NoSuchPaddingException("the provider Sealmark has no padding " + padding);
        }
    }

    @Override
    protected void engineInit(int mode, Key key, AlgorithmParameterSpec parameters, SecureRandom random)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        byte[] vector = mode == Cipher.DECRYPT_MODE ? vectorOf(parameters) : null;
        initialize(mode, key, parameters, random, vector, cipher -> cipher.init(mode, key, parameters, random));
    }

    /** {@code vector} is null if no attachment is decrypted so. */
    private void initialize(int mode, Key key, AlgorithmParameterSpec parameters, SecureRandom random, byte[] vector,
            Initialization initialization) throws InvalidKeyException, InvalidAlgorithmParameterException {
        boolean wasOffered = Threads.wasOffered();
        start();
        AttachmentSource armed = vector == null ? null : Threads.armed();
        if (armed != null && armed.hasHandedOut(vector)) {
            bind(armed, key, vector);
        } else if (takes(mode, key, parameters, random)) {
            unbind();
        } else {
            leave(wasOffered, initialization);
        }
    }

    /** Called before each initialization. */
    void start() {}

    /** True if it serves an initialization that belongs to no attachment. */
    boolean takes(int mode, Key key, AlgorithmParameterSpec parameters, SecureRandom random)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        return false;
    }

    /** Null for parameters that XML Encryption has not. */
    private static byte[] vectorOf(AlgorithmParameterSpec parameters) {
        if (parameters instanceof GCMParameterSpec && ((GCMParameterSpec) parameters).getTLen() == 8 * Gcm.TAG) {
            return ((GCMParameterSpec) parameters).getIV();
        }
        // Apache Santuario has a property that makes it pass these.
        return parameters instanceof IvParameterSpec ? ((IvParameterSpec) parameters).getIV() : null;
    }

    private void bind(AttachmentSource armed, Key key, byte[] vector) throws InvalidKeyException {
        Threads.disarm();
        unbind();
        byte[] bytes = null;
        try {
            bytes = key.getEncoded();
            if (bytes == null) {
                throw new InvalidKeyException("the key does not export its bytes, which AttachmentSource needs");
            }
            armed.bind(this, bytes);
        } catch (InvalidKeyException | RuntimeException error) {
            // JCE may go on to another provider, and the reader of the stream would not learn of it.
            armed.fail(new IOException("the attachment's key cannot be used: " + error.getMessage(), error));
            throw error;
        } finally {
            if (bytes != null) {
                Arrays.fill(bytes, (byte) 0);
            }
        }
        source = armed;
        iv = vector;
    }

    private void unbind() {
        if (source != null) {
            source.fail(new IOException("the cipher of the attachment was initialized again"));
        }
        source = null;
    }

    @Override
    protected void engineInit(int mode, Key key, AlgorithmParameters parameters, SecureRandom random)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        initialize(mode, key, specOf(parameters), random, null, cipher -> cipher.init(mode, key, parameters, random));
    }

    /** Null for parameters of another algorithm. */
    private static AlgorithmParameterSpec specOf(AlgorithmParameters parameters) {
        try {
            return parameters == null ? null : parameters.getParameterSpec(GCMParameterSpec.class);
        } catch (InvalidParameterSpecException error) {
            return null;
        }
    }

    @Override
    protected void engineInit(int mode, Key key, SecureRandom random) throws InvalidKeyException {
        try {
            initialize(mode, key, null, random, null, cipher -> cipher.init(mode, key, random));
        } catch (InvalidAlgorithmParameterException error) {
            throw new InvalidKeyException(error);
        }
    }

    /** Leaves the work to the next provider: JCE goes on to it by itself if it has offered the key to us first. */
    private void leave(boolean wasOffered, Initialization initialization)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        if (wasOffered) {
            // If it throws, it throws what JCE would have shown without us; JCE shows the first error.
            initialized(initialization);
            throw new InvalidKeyException("the provider Sealmark decrypts nothing but the attachment of this thread, with its"
                    + " initialization vector and a tag of 128 bits");
        }
        unbind();
        if (other == null) {
            other = initialized(initialization);
            return;
        }
        try {
            // The one from before knows which vectors were used.
            initialization.of(other);
        } catch (InvalidKeyException | InvalidAlgorithmParameterException error) {
            throw error;
        } catch (GeneralSecurityException error) {
            throw new InvalidKeyException(error);
        }
    }

    /** An initialization with the caller's arguments. */
    private interface Initialization {
        void of(Cipher cipher) throws GeneralSecurityException;
    }

    /** The cipher of the first provider after us that accepts the initialization. */
    private static Cipher initialized(Initialization initialization)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        GeneralSecurityException first = null;
        for (Provider provider : Security.getProviders()) {
            if (provider instanceof SealmarkProvider) {
                continue;
            }
            try {
                Cipher cipher = Cipher.getInstance(TRANSFORMATION, provider);
                initialization.of(cipher);
                return cipher;
            } catch (NoSuchAlgorithmException | NoSuchPaddingException none) {
                // The next one may have it.
            } catch (GeneralSecurityException error) {
                first = first == null ? error : first;
            }
        }
        if (first instanceof InvalidAlgorithmParameterException) {
            throw (InvalidAlgorithmParameterException) first;
        }
        throw first instanceof InvalidKeyException ? (InvalidKeyException) first
                : new InvalidKeyException("no other provider has a cipher " + TRANSFORMATION, first);
    }

    @Override
    protected int engineGetBlockSize() {
        return BLOCK;
    }

    @Override
    protected int engineGetOutputSize(int length) {
        return source != null ? length : other == null ? length + Gcm.TAG : other.getOutputSize(length);
    }

    @Override
    protected byte[] engineGetIV() {
        return source != null ? iv.clone() : other == null ? null : other.getIV();
    }

    @Override
    protected AlgorithmParameters engineGetParameters() {
        return source != null ? parametersOf(iv) : other == null ? null : other.getParameters();
    }

    static AlgorithmParameters parametersOf(byte[] iv) {
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("GCM");
            parameters.init(new GCMParameterSpec(8 * Gcm.TAG, iv));
            return parameters;
        } catch (NoSuchAlgorithmException | InvalidParameterSpecException error) {
            throw new IllegalStateException("no provider of this JVM has parameters of GCM", error);
        }
    }

    @Override
    protected int engineGetKeySize(Key key) throws InvalidKeyException {
        byte[] bytes = key.getEncoded();
        if (bytes == null) {
            throw new InvalidKeyException("the key does not export its bytes");
        }
        Arrays.fill(bytes, (byte) 0);
        return 8 * bytes.length;
    }

    @Override
    protected void engineUpdateAAD(byte[] data, int offset, int length) {
        if (source != null) {
            throw new IllegalStateException(NO_DATA);
        }
        other.updateAAD(data, offset, length);
    }

    @Override
    protected void engineUpdateAAD(ByteBuffer data) {
        if (source != null) {
            throw new IllegalStateException(NO_DATA);
        }
        other.updateAAD(data);
    }

    @Override
    protected int engineUpdate(ByteBuffer in, ByteBuffer out) throws ShortBufferException {
        return source != null ? super.engineUpdate(in, out) : other.update(in, out);
    }

    @Override
    protected int engineDoFinal(ByteBuffer in, ByteBuffer out)
            throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
        return source != null ? super.engineDoFinal(in, out) : other.doFinal(in, out);
    }

    @Override
    protected byte[] engineUpdate(byte[] in, int offset, int length) {
        if (source == null) {
            return other.update(in, offset, length);
        }
        byte[] out = new byte[length];
        try {
            source.pass(this, in, offset, length, out, 0);
        } catch (ShortBufferException error) {
            throw new AssertionError(error);
        }
        return length == 0 ? null : out;
    }

    @Override
    protected int engineUpdate(byte[] in, int offset, int length, byte[] out, int at) throws ShortBufferException {
        return source != null ? source.pass(this, in, offset, length, out, at) : other.update(in, offset, length, out, at);
    }

    @Override
    protected byte[] engineDoFinal(byte[] in, int offset, int length) throws IllegalBlockSizeException, BadPaddingException {
        if (source == null) {
            return length == 0 ? other.doFinal() : other.doFinal(in, offset, length);
        }
        byte[] out = engineUpdate(in, offset, length);
        source.end(this);
        return out == null ? new byte[0] : out;
    }

    @Override
    protected int engineDoFinal(byte[] in, int offset, int length, byte[] out, int at)
            throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
        if (source == null) {
            return length == 0 ? other.doFinal(out, at) : other.doFinal(in, offset, length, out, at);
        }
        int passed = source.pass(this, in, offset, length, out, at);
        source.end(this);
        return passed;
    }

    @Override
    protected byte[] engineWrap(Key key) throws IllegalBlockSizeException, InvalidKeyException {
        return other.wrap(key);
    }

    @Override
    protected Key engineUnwrap(byte[] wrapped, String algorithm, int type)
            throws InvalidKeyException, NoSuchAlgorithmException {
        return other.unwrap(wrapped, algorithm, type);
    }
}
