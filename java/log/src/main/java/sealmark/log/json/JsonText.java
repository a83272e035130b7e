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
    /**
     * Marks the objects among the enclosing arrays and objects, outermost first. Recursion would overflow the stack, because a
     * text may be deeper than any stack.
     */
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
            boolean isOpening = take("{[");
            if (isOpening) {
                objects.set(depth++, first == '{');
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

    /** Passes over all ends of arrays and objects, up to the next value or the end of the text. */
    private boolean goOn(boolean isFirst) {
        boolean isBehindBracket = isFirst;
        while (depth > 0) {
            boolean isObject = objects.get(depth - 1);
            space();
            if (!take(isObject ? "}" : "]")) {
                return (isBehindBracket || take(",")) && (!isObject || name());
            }
            depth--;
            isBehindBracket = false;
        }
        return true;
    }

    /** Passes over a name and its colon. */
    private boolean name() {
        return space() == '"' && string() && space() == ':' && take(":");
    }

    private boolean string() {
        at++;
        while (at < to) {
            byte here = text[at++];
            if (here == '"') {
                return true;
            }
            if ((here >= 0 && here < ' ') || (here == '\\' && !escape())) {
                return false;
            }
        }
        return false;
    }

    private boolean escape() {
        if (!take("u")) {
            return take("\"\\/bfnrt");
        }
        for (int digit = 0; digit < 4; digit++) {
            if (!take("0123456789abcdefABCDEF")) {
                return false;
            }
        }
        return true;
    }

    private boolean number() {
        take("-");
        return (take("0") || digits()) && (!take(".") || digits()) && (!take("eE") || exponent());
    }

    private boolean exponent() {
        take("+-");
        return digits();
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

    /** Passes over white space and returns the byte after it. Line ends do not count, because a value is on one line. */
    private int space() {
        while (peek() == ' ' || peek() == '\t') {
            at++;
        }
        return peek();
    }

    /** Goes on behind one of some characters; false if none of them is here. */
    private boolean take(String any) {
        boolean isHere = peek() != END && any.indexOf(peek()) >= 0;
        at += isHere ? 1 : 0;
        return isHere;
    }

    /** The byte here; {@link #END} behind the last. */
    private int peek() {
        return at < to ? text[at] & 0xff : END;
    }
}
