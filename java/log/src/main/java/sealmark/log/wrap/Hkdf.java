package sealmark.log.wrap;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;

/** HMAC-SHA-256 and HKDF-SHA-256 (RFC 5869). */
final class Hkdf {
    static final int LENGTH = 32;

    private Hkdf() {}

    static byte[] hmac(byte[] key, byte[]... message) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new Secret("HmacSHA256", key));
            for (byte[] part : message) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no HMAC-SHA-256", e);
        }
    }

    /** Extract and expand. */
    static byte[] derive(byte[] ikm, byte[] salt, byte[] info) {
        byte[] prk = extract(salt, ikm);
        byte[] key = expand(prk, LENGTH, info);
        Bytes.wipe(prk);
        return key;
    }

    /** An empty salt is as many zeros as the hash is long. */
    static byte[] extract(byte[] salt, byte[]... ikm) {
        return hmac(salt.length == 0 ? new byte[LENGTH] : salt, ikm);
    }

    /** Derives up to 32 bytes, which one block of the expansion yields. */
    static byte[] expand(byte[] prk, int length, byte[]... info) {
        byte[] block = hmac(prk, Bytes.concat(info), new byte[] {1});
        byte[] key = Arrays.copyOf(block, length);
        Bytes.wipe(block);
        return key;
    }
}
