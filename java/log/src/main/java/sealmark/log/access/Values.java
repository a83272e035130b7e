package sealmark.log.access;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.CharArrayWriter;
import java.nio.charset.Charset;
import java.util.function.Supplier;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Tokens;

/** Writes tokens in the place of values, such that each opens to the bytes that the file would have had. */
public final class Values {
    /** The most bytes that a character becomes. */
    private static final int WIDEST = 3;

    private final Supplier<LogSealer> sealer;
    private final Charset charset;
    private final boolean json;

    /**
     * Values of one log.
     *
     * @param sealer seals them
     * @param charset that of the file
     * @param json whether values are inside JSON strings, with escapes; the text that they mean is sealed then
     */
    public Values(Supplier<LogSealer> sealer, Charset charset, boolean json) {
        this.sealer = sealer;
        this.charset = charset;
        this.json = json;
    }

    /** Seals a value. One that is too long for one token becomes several in a row. */
    void write(Label label, char[] chars, int from, int to, CharArrayWriter out) {
        String value = json ? Escapes.unescaped(chars, from, to) : new String(chars, from, to - from);
        LogSealer with = sealer.get();
        int most = Math.max(2, with.maxValue() / WIDEST);
        int at = 0;
        while (at < value.length()) {
            int end = Math.min(at + most, value.length());
            if (end < value.length() && Character.isHighSurrogate(value.charAt(end - 1))) {
                end--;
            }
            out.append(token(with, label, value.substring(at, end)));
            at = end;
        }
    }

    /** Tokens in the value stay as they are; quotes stand around some of them. */
    private String token(LogSealer with, Label label, String value) {
        if (charset.equals(UTF_8) || value.chars().allMatch(unit -> unit < 0x80)) {
            String token = Tokens.seal(with, label, value);
            return json ? token.replace("\"", "\\\"") : token;
        }
        return new String(with.seal(label, value.getBytes(charset)), ISO_8859_1);
    }
}
