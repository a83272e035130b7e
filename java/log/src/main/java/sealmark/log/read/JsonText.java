package sealmark.log.read;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Whether bytes are one JSON text (RFC 8259) that can stand in a line: UTF-8, on one line, 127 levels deep at most. */
final class JsonText {
    private static final int DEEPEST = 127;
    /** What stands in no text: behind its end. */
    private static final int END = -1;

    private final byte[] text;
    private final int to;
    private int at;

    private JsonText(byte[] text, int from, int to) {
        this.text = text;
        this.at = from;
        this.to = to;
    }

    static boolean is(byte[] text, int from, int to) {
        JsonText reader = new JsonText(text, from, to);
        return isUtf8(text, from, to) && reader.isOnOneLine() && reader.value(0) && reader.space() == END;
    }

    /** Whether a JSON text is a string. */
    static boolean isString(byte[] text, int from, int to) {
        return new JsonText(text, from, to).space() == '"';
    }

    /** Whether bytes are text. */
    static boolean isUtf8(byte[] text, int from, int to) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
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

    private boolean isOnOneLine() {
        for (int place = at; place < to; place++) {
            if (text[place] == '\n' || text[place] == '\r') {
                return false;
            }
        }
        return true;
    }

    private boolean value(int depth) {
        int first = space();
        return switch (first) {
            case '"' -> string();
            case '{' -> depth < DEEPEST && members('}', true, depth + 1);
            case '[' -> depth < DEEPEST && members(']', false, depth + 1);
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        };
    }

    /** What is in an object or an array, and its end. */
    private boolean members(char end, boolean named, int depth) {
        at++;
        if (space() == end) {
            at++;
            return true;
        }
        while (!named || (space() == '"' && string() && space() == ':' && skip())) {
            if (!value(depth)) {
                return false;
            }
            int behind = space();
            at++;
            if (behind != ',') {
                return behind == end;
            }
        }
        return false;
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

    /** Goes on to what is no white space, and looks at it. */
    private int space() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
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
