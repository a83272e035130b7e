package sealmark.log.engine;

import java.util.Arrays;
import sealmark.log.Shape;
import sealmark.log.wrap.Base64Url;
import sealmark.log.wrap.HeaderDigest;

/** Cuts a header into lines of a log (spec/record.md, "In the log"). */
final class Parts {
    /** Bytes of a part: with the longest numbers, 900 characters hold 852 of base64url. */
    private static final int PART = 639;

    private Parts() {}

    static String lines(String id, byte[] header, Shape shape) {
        int of = (header.length + PART - 1) / PART;
        String start = "~s1h~" + id + "~" + HeaderDigest.of(header) + "~";
        StringBuilder lines = new StringBuilder();
        for (int number = 1; number <= of; number++) {
            byte[] piece = Arrays.copyOfRange(header, (number - 1) * PART, Math.min(number * PART, header.length));
            lines.append(shape.line(start + number + "." + of + "~" + Base64Url.encode(piece) + "~"));
        }
        return lines.toString();
    }
}
