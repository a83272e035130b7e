package sealmark.log.read;

import java.io.IOException;
import java.io.OutputStream;

/** Where a token stands, as far as it matters for how its value is written (spec/record.md, "Opening"). */
enum Place {
    /** In no JSON string. */
    PLAIN(0, false),
    /** In a JSON string. */
    STRING(0, false),
    /** A JSON text that is all a JSON string holds. */
    WHOLE(1, false),
    /** The same as a member's name. */
    WHOLE_NAME(1, true),
    /** A JSON text between escaped quotes in a JSON string. */
    QUOTED(2, false),
    /** The same as a member's name. */
    QUOTED_NAME(2, true);

    /** Characters of the quote on either side, which the value takes along. */
    final int quote;
    private final boolean isName;

    Place(int quote, boolean isName) {
        this.quote = quote;
        this.isName = isName;
    }

    /** In a line whose JSON object the quotes were counted in; what stands before {@code taken} is not the token's. */
    static Place of(Found.Token token, int taken, int lineEnd, Quotes quotes) {
        byte[] line = token.text;
        boolean quoted = token.isJson && token.start > taken && line[token.start - 1] == '"';
        // The quote before it, if that is one, begins the string or is inside.
        boolean begins = quoted && !quotes.enclose(token.start - 1);
        if (!quotes.enclose(token.start)) {
            return PLAIN;
        }
        if (begins && is(line, token.end, lineEnd, '"')) {
            return isNamed(line, token.end + 1, lineEnd) ? WHOLE_NAME : WHOLE;
        }
        if (quoted && !begins && is(line, token.end, lineEnd, '\\') && is(line, token.end + 1, lineEnd, '"')) {
            return isNamed(line, token.end + 2, lineEnd) ? QUOTED_NAME : QUOTED;
        }
        return STRING;
    }

    /** Whether an authentic value can stand here. */
    boolean takes(Value value, boolean isJson) {
        return switch (this) {
            case PLAIN -> true;
            case STRING -> !isJson && value.isText();
            default -> value.isJsonText() && (!isName || value.isJsonString());
        };
    }

    /** Writes a value that it takes. */
    void write(Value value, OutputStream out) throws IOException {
        if (this == PLAIN || this == WHOLE || this == WHOLE_NAME) {
            value.write(out);
        } else {
            value.writeEscaped(out);
        }
    }

    private static boolean isNamed(byte[] line, int from, int to) {
        int at = from;
        while (at < to && Quotes.isSpace(line[at])) {
            at++;
        }
        return is(line, at, to, ':');
    }

    private static boolean is(byte[] line, int at, int to, char expected) {
        return at < to && line[at] == expected;
    }
}
