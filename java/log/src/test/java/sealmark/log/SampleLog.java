package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;

/** A log of either shape, sealed and as it was. */
final class SampleLog {
    private static final Label EMAIL = Label.of("email");
    private static final List<String> VALUES = List.of("a@b.example", "", "\"Müller\" \\ “x”", "two\nlines\r\t\b\f",
            "\0\u0001\u001f\u007f", "\ud83d\ude00\uffff", "half \ud83d of a pair", "~s1a~v~", "}", "x".repeat(9000));
    private static final Map<Character, String> ESCAPES = Map.of('"', "\\\"", '\\', "\\\\", '\b', "\\b", '\f', "\\f",
            '\n', "\\n", '\r', "\\r", '\t', "\\t");

    final ByteArrayOutputStream sealed = new ByteArrayOutputStream();
    final ByteArrayOutputStream plain = new ByteArrayOutputStream();
    int values;

    private final LogSealer sealer;
    private final Shape shape;
    private final SessionLines own;

    private SampleLog(LogSealer sealer, Shape shape) {
        this.sealer = sealer;
        this.shape = shape;
        this.own = new SessionLines(shape);
    }

    /** With sessions that end by themselves, by command, at roll-over and at the end. */
    static SampleLog write(LogSealer sealer, Shape shape) {
        SampleLog log = new SampleLog(sealer, shape);
        log.writeValues();
        sealer.endSession();
        log.writeValues();
        log.sealed.writeBytes(log.own.closing().getBytes(UTF_8));
        log.own.opening();
        log.writeValues();
        sealer.close();
        log.sealed.writeBytes(log.own.closing().getBytes(UTF_8));
        return log;
    }

    private void writeValues() {
        for (String value : VALUES) {
            byte[] line = line(sealer.seal(EMAIL, value));
            sealed.writeBytes(own.before(new String(line, ISO_8859_1)).getBytes(UTF_8));
            sealed.writeBytes(line);
            plain.writeBytes(line(shape == Shape.JSON ? escaped(value) : onOneLine(value)));
            values++;
        }
    }

    private byte[] line(String email) {
        String format = shape == Shape.JSON ? "{\"n\":%d,\"email\":\"%s\"}\n" : "n=%d email=%s .\n";
        return String.format(format, values, email).getBytes(UTF_8);
    }

    /** The text of a value outside of JSON strings. */
    static String onOneLine(String value) {
        return value.replace("\n", "\\n").replace("\r", "\\r");
    }

    static String escaped(String value) {
        StringBuilder escaped = new StringBuilder();
        for (int at = 0; at < value.length(); at++) {
            char character = value.charAt(at);
            String control = character < ' ' ? String.format("\\u%04x", (int) character) : "" + character;
            escaped.append(ESCAPES.getOrDefault(character, control));
        }
        return escaped.toString();
    }
}
