package sealmark.log.reader;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.ProviderException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import sealmark.log.grammar.Found;
import sealmark.log.wrap.Secret;
import sealmark.log.wrap.Tally;

/** Opens what one session sealed (spec/record.md, "Values" and "Closing"). */
final class SessionKey {
    private static final int COUNTER = 4;
    private static final int COUNT = 8;
    private static final int TAG = 16;
    private static final int NONCE = 12;
    private static final int LONGEST_RUN_LIST = 64 * 8;

    final HeaderFacts facts;
    private final Secret key;
    /** Made once: to find one takes longer than to open a short value. */
    private Cipher cipher;

    /** Takes the array over. */
    SessionKey(byte[] valueKey, HeaderFacts facts) {
        this.facts = facts;
        this.key = new Secret("AES", valueKey);
    }

    void destroy() {
        cipher = null;
        key.destroy();
    }

    /** The value in a token; null if it does not authenticate. */
    Value open(Found.Token token) {
        byte[] body = body(token, COUNTER);
        if (body == null) {
            return null;
        }
        byte[] nonce = new byte[NONCE];
        System.arraycopy(body, 0, nonce, NONCE - COUNTER, COUNTER);
        byte[] plaintext = decrypt(token, nonce, body, COUNTER);
        int length = plaintext == null ? -1 : token.isPadded ? unpadded(plaintext) : plaintext.length;
        return length < 0 ? null : new Value(ByteBuffer.wrap(body).getInt() & 0xffff_ffffL, plaintext, length);
    }

    /** The content of a closing token; null if it does not authenticate, or if its runs break a rule. */
    Tally close(Found.Closing closing) {
        byte[] body = body(closing, COUNT);
        if (body == null || body.length > COUNT + LONGEST_RUN_LIST + TAG) {
            return null;
        }
        byte[] nonce = new byte[NONCE];
        nonce[0] = 1;
        System.arraycopy(body, 0, nonce, NONCE - COUNT, COUNT);
        byte[] unused = decrypt(closing, nonce, body, COUNT);
        return unused == null ? null : Tally.read(ByteBuffer.wrap(body).getLong(), ByteBuffer.wrap(unused));
    }

    private static byte[] body(Found found, int counter) {
        return found.body().filter(body -> body.length >= counter + TAG).orElse(null);
    }

    /** Null if the tag does not fit; nothing is given out before it does. */
    private byte[] decrypt(Found found, byte[] nonce, byte[] body, int from) {
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

    /** The length of the value before its padding; negative where there is none. */
    private static int unpadded(byte[] plaintext) {
        int last = plaintext.length - 1;
        while (last >= 0 && plaintext[last] == 0) {
            last--;
        }
        return last >= 0 && plaintext[last] == (byte) 0x80 ? last : -1;
    }
}
