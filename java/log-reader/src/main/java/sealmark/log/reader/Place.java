package sealmark.log.reader;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import sealmark.log.grammar.Found;
import sealmark.log.json.JsonText;
import sealmark.log.wrap.Bytes;

/**
 * Where a token stands, as far as it matters for how its value is written (spec/record.md, "Opening").
 *
 * @param level in how many JSON strings
 * @param quote characters of the quote on either side that a JSON text takes along; 0 where it does not fill its string
 * @param isName whether that string is a member's name
 */
record Place(int level, int quote, boolean isName) {
    /** Text before {@code taken} is not the token's. */
    static Place of(Found.Token token, int taken, int lineEnd, Levels levels) {
        int level = levels.of(token.start);
        if (!token.isJson || level == 0 || level > Levels.DEEPEST) {
            return new Place(level, 0, false);
        }
        int start = levels.quoteStart(level);
        int quote = token.start - start;
        boolean isFilled = levels.quoteEnd(level) == token.start && start >= taken && token.end + quote <= lineEnd
                && Arrays.equals(token.text, start, token.start, token.text, token.end, token.end + quote);
        return isFilled ? new Place(level, quote, levels.isName(level, token.end + quote)) : new Place(level, 0, false);
    }

    /** True if an authentic value can stand here. */
    boolean takes(Value value, boolean isJson) {
        if (level == 0) {
            return true;
        }
        byte[] text = value.plaintext();
        int length = value.length();
        if (level > Levels.DEEPEST || !isJson) {
            return level <= Levels.DEEPEST && JsonText.isUtf8(text, 0, length);
        }
        return quote > 0 && JsonText.is(text, 0, length) && (!isName || JsonText.isString(text, 0, length));
    }

    /** Writes a value that it takes: no value adds a line, unless line breaks are wanted raw. */
    void write(Value value, boolean isJson, Context context, OutputStream out) throws IOException {
        if (context == Context.SEARCH) {
            byte[] string = isJson && quote > 0 ? Json.string(value.plaintext(), value.length()) : null;
            if (string == null) {
                value.write(out);
            } else {
                out.write('"');
                out.write(string, 0, string.length);
                out.write('"');
                Bytes.wipe(string);
            }
            return;
        }
        OutputStream escaped = level > 0 || context == Context.RAW ? out : Escape.breaks(out);
        for (int times = quote > 0 ? 1 : 0; times < level; times++) {
            escaped = Escape.string(escaped);
        }
        value.write(escaped);
    }
}
