package sealmark.log.wrap;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import sealmark.log.Shape;

/** Cuts a header into lines of a log (spec/record.md, "In the log"). */
public final class HeaderParts {
    /** Bytes of a part: with the longest numbers, 900 characters hold 852 of base64url. */
    private static final int PART = 639;
    private static final int DIGEST = 9;

    private HeaderParts() {}

    /** The lines of a session's header, each with its line feed. */
    public static String lines(String id, byte[] header, Shape shape) {
        int of = (header.length + PART - 1) / PART;
        String start = "~s1h~" + id + "~" + digest(header) + "~";
        StringBuilder lines = new StringBuilder();
        for (int number = 1; number <= of; number++) {
            byte[] piece = Arrays.copyOfRange(header, (number - 1) * PART, Math.min(number * PART, header.length));
            lines.append(shape.line(start + number + "." + of + "~" + Base64Url.encode(piece) + "~"));
        }
        return lines.toString();
    }

    /** Tells the parts of one header from those of another: the beginning of the header's SHA-256, in 12 characters. */
    public static String digest(byte[] header) {
        try {
            return Base64Url.encode(Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(header), DIGEST));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("this Java runtime has no SHA-256", impossible);
        }
    }
}
