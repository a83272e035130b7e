package sealmark.log.wrap;

import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/** AES-256-GCM under a key that is used once, without associated data. */
final class Aead {
    static final int TAG = 16;
    static final int NONCE = 12;

    private Aead() {}

    static byte[] seal(byte[] key, byte[] nonce, byte[] plaintext) {
        try {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(Cipher.ENCRYPT_MODE, new Secret("AES", key), new GCMParameterSpec(TAG * 8, nonce));
            return cipher.doFinal(plaintext);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no AES-256-GCM", e);
        }
    }
}
