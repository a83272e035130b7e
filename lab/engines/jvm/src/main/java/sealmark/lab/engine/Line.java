package sealmark.lab.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One message: a flat JSON object of strings, integers from 0 to 2^63 − 1 and booleans (spec/engine.md, "Lines").
 * Strings come out as {@link String}, integers as {@link Long}, booleans as {@link Boolean}.
 */
final class Line {
    /** The longest line either side accepts, its line feed included. */
    static final int LONGEST = 65_536;

    private final String text;
    private int at;

    private Line(String text) {
        this.text = text;
    }

    /** The next line without its line feed, at most {@link #LONGEST} bytes of it; null at the end of the input. */
    static byte[] next(InputStream input) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                return null;
            }
            if (line.size() < LONGEST) {
                line.write(next);
            }
        }
        return line.toByteArray();
    }

    static Map<String, Object> read(byte[] line) throws Malformed {
        if (line.length >= LONGEST) {
            throw new Malformed("a line longer than " + LONGEST + " bytes");
        }
        try {
            return new Line(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString()).object();
        } catch (CharacterCodingException error) {
            throw new Malformed("a line that is not UTF-8");
        }
    }

    static String write(Map<String, Object> message) {
        StringBuilder line = new StringBuilder("{");
        message.forEach((key, value) -> {
            line.append(line.length() == 1 ? "" : ",");
            quote(key, line);
            line.append(':');
            if (value instanceof String) {
                quote((String) value, line);
            } else {
                line.append(value);
            }
        });
        return line.append('}').toString();
    }

    private static void quote(String value, StringBuilder line) {
        line.append('"');
        for (char character : value.toCharArray()) {
            if (character == '"' || character == '\\') {
                line.append('\\').append(character);
            } else if (character < ' ') {
                line.append(String.format("\\u%04x", (int) character));
            } else {
                line.append(character);
            }
        }
        line.append('"');
    }

    private Map<String, Object> object() throws Malformed {
        Map<String, Object> message = new LinkedHashMap<>();
        expect('{');
        if (peek() != '}') {
            do {
                member(message);
            } while (accept(','));
        }
        expect('}');
        if (peek() != 0) {
            throw new Malformed("something after the object");
        }
        return message;
    }

    private void member(Map<String, Object> message) throws Malformed {
        expect('"');
        String key = string();
        expect(':');
        if (message.put(key, value(key)) != null) {
            throw new Malformed("\"" + key + "\" comes twice");
        }
    }

    private Object value(String key) throws Malformed {
        char first = peek();
        if (accept('"')) {
            return string();
        }
        if (first >= '0' && first <= '9') {
            return integer(key);
        }
        for (Boolean value : new Boolean[] {true, false}) {
            if (text.startsWith(value.toString(), at)) {
                at += value.toString().length();
                return value;
            }
        }
        throw notFlat(key);
    }

    private Long integer(String key) throws Malformed {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (text.charAt(start) == '0' && at > start + 1) {
            throw notFlat(key);
        }
        try {
            return Long.valueOf(text.substring(start, at));
        } catch (NumberFormatException error) {
            throw notFlat(key);
        }
    }

    private static Malformed notFlat(String key) {
        return new Malformed("\"" + key + "\" is not a string, integer or boolean");
    }

    private String string() throws Malformed {
        StringBuilder value = new StringBuilder();
        for (char next = take(); next != '"'; next = take()) {
            if (next < ' ') {
                throw new Malformed("a control character in a string");
            }
            value.append(next == '\\' ? escaped(take()) : next);
        }
        return value.toString();
    }

    private char escaped(char letter) throws Malformed {
        int plain = "\"\\/".indexOf(letter);
        int control = "bfnrt".indexOf(letter);
        if (plain >= 0) {
            return letter;
        }
        if (control >= 0) {
            return "\b\f\n\r\t".charAt(control);
        }
        if (letter == 'u') {
            return hexadecimal();
        }
        throw new Malformed("an unknown escape in a string");
    }

    private char hexadecimal() throws Malformed {
        int value = 0;
        for (int digit = 0; digit < 4; digit++) {
            int next = Character.digit(take(), 16);
            if (next < 0) {
                throw new Malformed("an unknown escape in a string");
            }
            value = value << 4 | next;
        }
        return (char) value;
    }

    private void expect(char wanted) throws Malformed {
        if (!accept(wanted)) {
            throw new Malformed("no '" + wanted + "' where one belongs");
        }
    }

    private boolean accept(char wanted) {
        boolean there = peek() == wanted;
        at += there ? 1 : 0;
        return there;
    }

    /** The next character that is no white space, 0 at the end. */
    private char peek() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private char take() throws Malformed {
        if (at == text.length()) {
            throw new Malformed("a string without an end");
        }
        return text.charAt(at++);
    }

    /** A line that is not a message. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed(String what) {
            super(what);
        }
    }
}
