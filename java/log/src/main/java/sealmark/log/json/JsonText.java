package sealmark.log.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.util.Arrays;
import java.util.BitSet;
import java.util.regex.Pattern;

/** Tells if bytes are one JSON text (RFC 8259) that can stand in a line: UTF-8, on one line, however deep. */
public final class JsonText {
    /** Stands for the end of the text; no byte has this value. */
    private static final int END = -1;
    private static final Pattern READERS_ESCAPE =
            Pattern.compile("\\\\([\"\\\\bfnrt]|u00(0[0-7be-f]|1[0-9a-f]))");

    private final byte[] text;
    private final int to;
    private int at;
    /** Which of the arrays and objects around are objects, the outermost first: no stack is as deep as a text. */
    private final BitSet objects = new BitSet();
    private int depth;

    private JsonText(byte[] text, int from, int to) {
        this.text = text;
        this.at = from;
        this.to = to;
    }

    /** True if bytes are one JSON text. */
    public static boolean is(byte[] text, int from, int to) {
        JsonText reader = new JsonText(text, from, to);
        return isUtf8(text, from, to) && reader.value() && reader.space() == END;
    }

    /** True if a text is one JSON text. A surrogate without its pair counts as {@code ?}, as which it is sealed. */
    public static boolean is(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        try {
            return is(bytes, 0, bytes.length);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /** True if a JSON text is a string. */
    public static boolean isString(byte[] text, int from, int to) {
        return new JsonText(text, from, to).space() == '"';
    }

    /** True if a JSON string has the one form that readers give its text (spec/record.md, "Opening"). */
    public static boolean isAsReadersWrite(String string) {
        for (int at = string.indexOf('\\'); at >= 0; at = string.indexOf('\\', at + 2)) {
            if (!READERS_ESCAPE.matcher(string).region(at, string.length()).lookingAt()) {
                return false;
            }
        }
        return true;
    }

    /** True if bytes are text. */
    public static boolean isUtf8(byte[] text, int from, int to) {
        CharsetDecoder decoder = UTF_8.newDecoder();
        ByteBuffer bytes = ByteBuffer.wrap(text, from, to - from);
        CharBuffer room = CharBuffer.allocate(Math.min(1024, to - from + 2));
        try {
            while (decoder.decode(bytes, room, true).isOverflow()) {
                room.clear();
            }
            return !bytes.hasRemaining();
        } finally {
            Arrays.fill(room.array(), '\0');
        }
    }

    /** A value with all that is in it. */
    private boolean value() {
        do {
            int first = space();
            boolean isOpening = first == '{' || first == '[';
            if (isOpening) {
                objects.set(depth++, first == '{');
                at++;
            }
            if ((!isOpening && !scalar(first)) || !goOn(isOpening)) {
                return false;
            }
        } while (depth > 0);
        return true;
    }

    private boolean scalar(int first) {
        return switch (first) {
            case '"' -> string();
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        };
    }

    /** Over all ends of arrays and objects, up to where the next value begins, or the text is over. */
    private boolean goOn(boolean isFirst) {
        boolean isBehindBracket = isFirst;
        while (depth > 0) {
            boolean isObject = objects.get(depth - 1);
            int here = space();
            if (here != (isObject ? '}' : ']')) {
                return (isBehindBracket || (here == ',' && skip())) && (!isObject || name());
            }
            at++;
            depth--;
            isBehindBracket = false;
        }
        return true;
    }

    /** With its colon. */
    private boolean name() {
        return space() == '"' && string() && space() == ':' && skip();
    }

    private boolean string() {
        for (at++; at < to; at++) {
            if (text[at] == '"') {
                return skip();
            }
            if ((text[at] >= 0 && text[at] < ' ') || (text[at] == '\\' && !escape())) {
                return false;
            }
        }
        return false;
    }

    /** Ends on its last character. */
    private boolean escape() {
        at++;
        if (peek() != 'u') {
            return peek() != END && "\"\\/bfnrt".indexOf(peek()) >= 0;
        }
        for (int digit = 0; digit < 4; digit++) {
            at++;
            if (peek() == END || Character.digit(peek(), 16) < 0) {
                return false;
            }
        }
        return true;
    }

    private boolean number() {
        if (peek() == '-') {
            at++;
        }
        boolean whole = peek() == '0' ? skip() : digits();
        if (whole && peek() == '.') {
            at++;
            whole = digits();
        }
        if (whole && (peek() == 'e' || peek() == 'E')) {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            whole = digits();
        }
        return whole;
    }

    private boolean digits() {
        int first = at;
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
        return at > first;
    }

    private boolean word(String word) {
        for (int i = 0; i < word.length(); i++, at++) {
            if (peek() != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Goes on to what is no white space, and looks at it. A value stands on one line, so that line ends are none. */
    private int space() {
        while (peek() == ' ' || peek() == '\t') {
            at++;
        }
        return peek();
    }

    private boolean skip() {
        at++;
        return true;
    }

    /** The byte here; {@link #END} behind the last. */
    private int peek() {
        return at < to ? text[at] & 0xff : END;
    }
}
