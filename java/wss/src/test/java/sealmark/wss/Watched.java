package sealmark.wss;

import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;

/** A provider that counts who uses its AES-GCM, which is the JDK's, with the vectors of TLS records. */
@SuppressWarnings("deprecation")
final class Watched extends Provider {
    static final AtomicInteger INITIALIZATIONS = new AtomicInteger();
    private static final long serialVersionUID = 1;

    Watched() {
        super("Watched", 1, "counts");
        put("Cipher.AES/GCM/NoPadding", Spi.class.getName());
    }

    /** Public for JCE. */
    public static final class Spi extends CipherSpi {
        private final Cipher cipher;

        /** Made by JCE. */
        public Spi() throws GeneralSecurityException {
            cipher = Cipher.getInstance("AES/GCM/NoPadding", "SunJCE");
        }

        @Override
        protected void engineSetMode(String mode) {}

        @Override
        protected void engineSetPadding(String padding) {}

        @Override
        protected int engineGetBlockSize() {
            return 16;
        }

        @Override
        protected int engineGetOutputSize(int length) {
            return cipher.getOutputSize(length);
        }

        @Override
        protected byte[] engineGetIV() {
            return cipher.getIV();
        }

        @Override
        protected AlgorithmParameters engineGetParameters() {
            return cipher.getParameters();
        }

        @Override
        protected void engineInit(int mode, Key key, SecureRandom random) throws InvalidKeyException {
            cipher.init(mode, key, random);
        }

        @Override
        protected void engineInit(int mode, Key key, AlgorithmParameterSpec parameters, SecureRandom random)
                throws InvalidKeyException, InvalidAlgorithmParameterException {
            // Tickets of TLS sessions have longer vectors.
            if (((GCMParameterSpec) parameters).getIV().length == Gcm.IV) {
                INITIALIZATIONS.incrementAndGet();
            }
            cipher.init(mode, key, parameters, random);
        }

        @Override
        protected void engineInit(int mode, Key key, AlgorithmParameters parameters, SecureRandom random)
                throws InvalidKeyException, InvalidAlgorithmParameterException {
            cipher.init(mode, key, parameters, random);
        }

        @Override
        protected void engineUpdateAAD(byte[] data, int offset, int length) {
            cipher.updateAAD(data, offset, length);
        }

        @Override
        protected byte[] engineUpdate(byte[] in, int offset, int length) {
            return cipher.update(in, offset, length);
        }

        @Override
        protected int engineUpdate(byte[] in, int offset, int length, byte[] out, int at) throws ShortBufferException {
            return cipher.update(in, offset, length, out, at);
        }

        @Override
        protected byte[] engineDoFinal(byte[] in, int offset, int length)
                throws IllegalBlockSizeException, BadPaddingException {
            return length == 0 ? cipher.doFinal() : cipher.doFinal(in, offset, length);
        }

        @Override
        protected int engineDoFinal(byte[] in, int offset, int length, byte[] out, int at)
                throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
            return length == 0 ? cipher.doFinal(out, at) : cipher.doFinal(in, offset, length, out, at);
        }

        @Override
        protected int engineGetKeySize(Key key) {
            return 8 * key.getEncoded().length;
        }
    }
}
