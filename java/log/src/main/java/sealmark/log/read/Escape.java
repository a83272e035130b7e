package sealmark.log.read;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.OutputStream;

/** Writes text as the inside of a JSON string, in the one way in which a reader does (spec/record.md, "Opening"). */
final class Escape {
    private static final byte[] HEX = "0123456789abcdef".getBytes(ISO_8859_1);
    private static final String NAMED = "\"\\\b\f\n\r\t";
    private static final byte[] NAMES = "\"\\bfnrt".getBytes(ISO_8859_1);

    private Escape() {}

    static void write(byte[] text, int from, int to, OutputStream out) throws IOException {
        int written = from;
        for (int at = from; at < to; at++) {
            byte character = text[at];
            if ((character >= 0 && character < ' ') || character == '"' || character == '\\') {
                out.write(text, written, at - written);
                write(character, out);
                written = at + 1;
            }
        }
        out.write(text, written, to - written);
    }

    private static void write(byte character, OutputStream out) throws IOException {
        int name = NAMED.indexOf(character);
        if (name >= 0) {
            out.write(new byte[] {'\\', NAMES[name]});
        } else {
            out.write(new byte[] {'\\', 'u', '0', '0', HEX[character >> 4], HEX[character & 15]});
        }
    }
}
