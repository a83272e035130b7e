package sealmark.log.wrap;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/** Tells the parts of one header from those of another: the beginning of the header's SHA-256. */
public final class HeaderDigest {
    private static final int LENGTH = 9;

    private HeaderDigest() {}

    /** The digest as parts write it: 12 characters. */
    public static String of(byte[] header) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(header);
            return Base64Url.encode(Arrays.copyOf(digest, LENGTH));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("this Java runtime has no SHA-256", impossible);
        }
    }
}
