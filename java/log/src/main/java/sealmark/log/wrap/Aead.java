package sealmark.log.wrap;

import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/** AES-256-GCM under a key that is used once, without associated data. */
final class Aead {
    static final int TAG = 16;
    static final int NONCE = 12;

    private Aead() {}

    static byte[] seal(byte[] key, byte[] nonce, byte[] plaintext) {
        try {
            return cipher(Cipher.ENCRYPT_MODE, key, nonce).doFinal(plaintext);
        } catch (GeneralSecurityException e) {
            throw unavailable(e);
        }
    }

    /** Empty where the tag does not fit. */
    static Optional<byte[]> open(byte[] key, byte[] nonce, byte[] sealed) {
        try {
            return Optional.of(cipher(Cipher.DECRYPT_MODE, key, nonce).doFinal(sealed));
        } catch (AEADBadTagException e) {
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            throw unavailable(e);
        }
    }

    private static Cipher cipher(int mode, byte[] key, byte[] nonce) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new Secret("AES", key), new GCMParameterSpec(TAG * 8, nonce));
        return cipher;
    }

    private static IllegalStateException unavailable(GeneralSecurityException cause) {
        return new IllegalStateException("this Java runtime has no AES-256-GCM", cause);
    }
}
