package sealmark.log.reader;

import java.nio.ByteBuffer;
import sealmark.log.grammar.Found;
import sealmark.log.wrap.Secret;
import sealmark.log.wrap.Tally;

/** Opens what one session sealed (spec/record.md, "Values" and "Closing"). */
final class SessionKey {
    private static final int COUNTER = 4;
    private static final int COUNT = 8;
    private static final int NONCE = 12;
    private static final int LONGEST_RUN_LIST = 64 * 8;

    final HeaderFacts facts;
    private final Secret key;

    /** Takes the array over. */
    SessionKey(byte[] valueKey, HeaderFacts facts) {
        this.facts = facts;
        this.key = new Secret("AES", valueKey);
    }

    void destroy() {
        key.destroy();
    }

    /** The value in a token; null if it does not authenticate. */
    Value open(Found.Token token, TokenCipher cipher) {
        byte[] body = body(token, COUNTER);
        if (body == null) {
            return null;
        }
        byte[] nonce = new byte[NONCE];
        System.arraycopy(body, 0, nonce, NONCE - COUNTER, COUNTER);
        byte[] plaintext = cipher.decrypt(key, nonce, token, body, COUNTER);
        int length = plaintext == null ? -1 : token.isPadded ? unpadded(plaintext) : plaintext.length;
        return length < 0 ? null : new Value(ByteBuffer.wrap(body).getInt() & 0xffff_ffffL, plaintext, length);
    }

    /** The content of a closing token; null if it does not authenticate, or if its runs break a rule. */
    Tally close(Found.Closing closing, TokenCipher cipher) {
        byte[] body = body(closing, COUNT);
        if (body == null || body.length > COUNT + LONGEST_RUN_LIST + TokenCipher.TAG) {
            return null;
        }
        byte[] nonce = new byte[NONCE];
        nonce[0] = 1;
        System.arraycopy(body, 0, nonce, NONCE - COUNT, COUNT);
        byte[] unused = cipher.decrypt(key, nonce, closing, body, COUNT);
        return unused == null ? null : Tally.read(ByteBuffer.wrap(body).getLong(), ByteBuffer.wrap(unused));
    }

    private static byte[] body(Found found, int counter) {
        return found.body().filter(body -> body.length >= counter + TokenCipher.TAG).orElse(null);
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
