package sealmark.log.reader;

import java.security.GeneralSecurityException;
import java.security.ProviderException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import sealmark.log.grammar.Found;
import sealmark.log.wrap.Secret;

/** AES-256-GCM for what one thread opens: tokens, and session keys in headers. */
final class TokenCipher {
    static final int TAG = 16;

    /** Made once, because finding one takes longer than opening a short value. */
    private Cipher cipher;

    /** The content of a token; null if the tag is wrong: nothing is given out before it was checked. */
    byte[] decrypt(Secret key, byte[] nonce, Found found, byte[] body, int from) {
        return decrypt(key, nonce, found.text, found.start, found.headLength(), body, from);
    }

    /** A wrapped key; null if the tag is wrong. */
    byte[] decrypt(Secret key, byte[] nonce, byte[] wrapped) {
        return decrypt(key, nonce, wrapped, 0, 0, wrapped, 0);
    }

    private byte[] decrypt(Secret key, byte[] nonce, byte[] aad, int start, int length, byte[] body, int from) {
        try {
            Cipher used = cipher == null ? Cipher.getInstance("AES/GCM/NoPadding") : cipher;
            // One that an error leaves amid its work may never open anything again.
            cipher = null;
            used.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(8 * TAG, nonce));
            used.updateAAD(aad, start, length);
            byte[] plaintext = used.doFinal(body, from, body.length - from);
            cipher = used;
            return plaintext;
        } catch (AEADBadTagException notAuthentic) {
            return null;
        } catch (GeneralSecurityException error) {
            throw new ProviderException("this Java runtime has no cipher AES/GCM/NoPadding", error);
        }
    }
}
