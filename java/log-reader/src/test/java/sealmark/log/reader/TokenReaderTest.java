package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.log.engine.NativeLibrary;
import sealmark.log.keys.PreSharedKey;

/** Single lines and values, in native code and in pure Java. */
class TokenReaderTest {
    private static final Label LABEL = Label.of("v");

    private final PreSharedKey key = PreSharedKey.generate();
    private final LogSealer sealer = LogSealer.builder().preSharedKey(key).build();
    private final String header = new SessionLines(Shape.PLAIN).before(sealer.seal(LABEL, "first")).strip();
    private final AtomicInteger asked = new AtomicInteger();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void headersAreAskedForOnceALineLacksOne(boolean isNative) {
        try (TokenReader reader = reader(isNative)) {
            String line = "a=" + sealer.seal(LABEL, "one") + " b=" + sealer.seal(LABEL, "two\nlines");
            assertEquals(Optional.of(line), line(reader, line, () -> {
                asked.incrementAndGet();
                return false;
            }));
            assertEquals(List.of(1, 2L, 0L), List.of(asked.get(), reader.report().orphans(), reader.opened()));
            assertEquals(Optional.of("a=one b=two\\nlines"), line(reader, line, learns(reader)));
            assertEquals(Optional.of("a=one b=two\\nlines"), line(reader, line, learns(reader)));
            assertEquals(Optional.of("no token"), line(reader, "no token", learns(reader)));
            assertEquals(List.of(2, 2L, 4L), List.of(asked.get(), reader.report().orphans(), reader.opened()));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLineOfTheLogsOwnIsNoneAndAnEmptyValueIsALine(boolean isNative) {
        try (TokenReader reader = reader(isNative)) {
            assertTrue(learns(reader).getAsBoolean());
            assertEquals(Optional.empty(), line(reader, header, () -> false));
            assertEquals(Optional.of(""), line(reader, sealer.seal(LABEL, ""), () -> false));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aValueIsThatOfAWholeTokenAndIsNotEscaped(boolean isNative) {
        try (TokenReader reader = reader(isNative)) {
            String token = sealer.seal(LABEL, "two\nlines");
            assertEquals(Optional.empty(), value(reader, token, () -> false));
            assertEquals(Optional.of("two\nlines"), value(reader, token, learns(reader)));
            assertEquals(Optional.of(""), value(reader, sealer.seal(LABEL, ""), () -> false));
            char other = token.charAt(40) == 'A' ? 'B' : 'A';
            for (String text : List.of("", "~", " " + token, token + " ", token + token, header, "{" + token + "}",
                    token.substring(0, 40) + other + token.substring(41))) {
                assertEquals(Optional.empty(), value(reader, text, learns(reader)), text);
            }
            assertEquals(List.of(1L, 1L, 2L),
                    List.of(reader.report().orphans(), reader.report().tampered(), reader.opened()));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLineMayBeLongerThanTheMemoryOfNativeCode(boolean isNative) {
        try (TokenReader reader = reader(isNative)) {
            assertTrue(learns(reader).getAsBoolean());
            String token = sealer.seal(LABEL, "v");
            int[] lengths = {token.length(), 32_767, 32_768, 32_769, 65_536, 100_000};
            for (int length : lengths) {
                String around = "x".repeat(length - token.length());
                assertEquals(Optional.of(around + "v"), line(reader, around + token, () -> false));
            }
            // Its escapes make it longer than the line.
            String quotes = "\"".repeat(20_000);
            assertEquals(Optional.of("{\"v\":\"" + quotes.replace("\"", "\\\"") + "\"}"),
                    line(reader, "{\"v\":\"" + sealer.seal(LABEL, quotes) + "\"}", () -> false));
            assertEquals(lengths.length + 1, reader.opened());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void linesOfManySessionsAreCounted(boolean isNative) throws Exception {
        try (TokenReader reader = reader(isNative)) {
            SessionLines own = new SessionLines(Shape.PLAIN);
            int sessions = 100;
            int lines = 10_000;
            for (int number = 0; number < lines; number++) {
                if (number % (lines / sessions) == 1) {
                    sealer.endSession();
                }
                String token = sealer.seal(LABEL, "value " + number);
                byte[] before = own.before(token).getBytes(UTF_8);
                reader.learn(before, 0, before.length);
                assertEquals(Optional.of("value " + number), line(reader, token, () -> false));
                assertEquals(number + 1, reader.opened());
            }
        }
    }

    private TokenReader reader(boolean isNative) {
        assumeTrue(!isNative || NativeLibrary.missing().isEmpty(), "no native library");
        return new TokenReader(List.of(), List.of(key), isNative);
    }

    private BooleanSupplier learns(TokenReader reader) {
        return () -> {
            asked.incrementAndGet();
            byte[] lines = (header + "\n").getBytes(UTF_8);
            reader.learn(lines, 0, lines.length);
            return true;
        };
    }

    /** In the middle of an array, where other text is around it. */
    private static Optional<String> line(TokenReader reader, String line, BooleanSupplier learns) {
        byte[] text = ("~s1" + line + "~").getBytes(UTF_8);
        return reader.openLine(text, 3, text.length - 1, learns).map(TokenReaderTest::shown);
    }

    private static Optional<String> value(TokenReader reader, String value, BooleanSupplier learns) {
        byte[] text = ("~s1" + value + "~").getBytes(UTF_8);
        return reader.openToken(text, 3, text.length - 1, learns).map(TokenReaderTest::shown);
    }

    private static String shown(TokenReader.Opened opened) {
        String text = new String(opened.text(), opened.from(), opened.length(), UTF_8);
        assertEquals(text, new String(opened.bytes(), UTF_8));
        assertTrue(opened.toString().endsWith(" bytes"));
        assertFalse(opened.toString().contains("two"), "opened text is not printed");
        return text;
    }
}
