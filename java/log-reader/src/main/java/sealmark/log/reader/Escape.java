package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Writes text as a reader does in the one way that is its place's (spec/record.md, "Opening"). */
final class Escape extends FilterOutputStream {
    private static final byte[] HEX = "0123456789abcdef".getBytes(ISO_8859_1);
    private static final String NAMED = "\"\\\b\f\n\r\t";
    private static final byte[] NAMES = "\"\\bfnrt".getBytes(ISO_8859_1);

    private final boolean breaksOnly;

    private Escape(OutputStream out, boolean breaksOnly) {
        super(out);
        this.breaksOnly = breaksOnly;
    }

    /** Escapes for the inside of a JSON string. */
    static OutputStream string(OutputStream out) {
        return new Escape(out, false);
    }

    /** Line breaks as two characters, and all else as it is. */
    static OutputStream breaks(OutputStream out) {
        return new Escape(out, true);
    }

    @Override
    public void write(byte[] text, int offset, int length) throws IOException {
        int written = offset;
        for (int at = offset; at < offset + length; at++) {
            if (isEscaped(text[at])) {
                out.write(text, written, at - written);
                writeEscaped(text[at]);
                written = at + 1;
            }
        }
        out.write(text, written, offset + length - written);
    }

    private boolean isEscaped(byte character) {
        return breaksOnly ? character == '\n' || character == '\r'
                : (character >= 0 && character < ' ') || character == '"' || character == '\\';
    }

    private void writeEscaped(byte character) throws IOException {
        int name = NAMED.indexOf(character);
        if (name >= 0) {
            out.write(new byte[] {'\\', NAMES[name]}, 0, 2);
        } else {
            out.write(new byte[] {'\\', 'u', '0', '0', HEX[character >> 4], HEX[character & 15]}, 0, 6);
        }
    }
}
