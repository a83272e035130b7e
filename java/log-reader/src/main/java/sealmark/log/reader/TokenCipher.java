package sealmark.log.reader;

import java.security.GeneralSecurityException;
import java.security.ProviderException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import sealmark.log.grammar.Found;
import sealmark.log.wrap.Secret;

/** AES-256-GCM for the tokens that one thread opens. */
final class TokenCipher {
    static final int TAG = 16;

    /** Made once, because finding one takes longer than opening a short value. */
    private Cipher cipher;

    /** The content of a token; null if the tag is wrong: nothing is given out before it was checked. */
    byte[] decrypt(Secret key, byte[] nonce, Found found, byte[] body, int from) {
        try {
            Cipher used = cipher == null ? Cipher.getInstance("AES/GCM/NoPadding") : cipher;
            // One that an error leaves amid its work may never open anything again.
            cipher = null;
            used.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(8 * TAG, nonce));
            used.updateAAD(found.text, found.start, found.headLength());
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
