package sealmark.lab.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineTest {
    @Test
    void readsStringsIntegersAndBooleans() throws Exception {
        Map<String, Object> message =
                Line.read(utf8(" { \"a\" : \"x\" , \"b\":9223372036854775807,\"c\":true,\"d\":false,\"e\":0 } "));
        assertEquals(Map.of("a", "x", "b", Long.MAX_VALUE, "c", true, "d", false, "e", 0L), message);
        assertEquals(Map.of(), Line.read(utf8("{}")));
    }

    @Test
    void readsEveryEscape() throws Exception {
        String line = "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00é\"}";
        assertEquals("\"\\/\b\f\n\r\té\uD83D\uDE00é", Line.read(utf8(line)).get("a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "{", "}", "[]", "null", "{\"a\":1", "{\"a\":null}", "{\"a\":[1]}", "{\"a\":{}}", "{\"a\":1.0}", "{\"a\":1e3}",
        "{\"a\":-1}", "{\"a\":01}", "{\"a\":9223372036854775808}", "{\"a\":1,\"a\":1}", "{\"a\":1}x", "{\"a\":1,}",
        "{a:1}", "{\"a\" 1}", "{\"a\":\"x}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":\"\t\"}", "{\"a\":True}",
    })
    void refusesWhatIsNotFlat(String line) {
        assertThrows(Line.Malformed.class, () -> Line.read(utf8(line)));
    }

    @Test
    void refusesWhatIsNotUtf8() {
        byte[] line = utf8("{\"a\":\"?\"}");
        line[6] = (byte) 0xff;
        assertThrows(Line.Malformed.class, () -> Line.read(line));
    }

    @Test
    void writesWhatItReads() throws Exception {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("why", "a \"quoted\" \\ line\nand é\u0001");
        message.put("count", 7L);
        message.put("authenticated", true);
        String line = Line.write(message);
        assertEquals("{\"why\":\"a \\\"quoted\\\" \\\\ line\\u000aand é\\u0001\",\"count\":7,\"authenticated\":true}", line);
        assertEquals(message, Line.read(utf8(line)));
    }

    @Test
    void takesLinesApartAndNothingAfterTheLastLineFeed() throws Exception {
        ByteArrayInputStream input = new ByteArrayInputStream(utf8("a\n\nhalf"));
        assertArrayEquals(utf8("a"), Line.next(input));
        assertArrayEquals(utf8(""), Line.next(input));
        assertNull(Line.next(input));
    }

    @Test
    void aLineMayBeAsLongAsTheLimitAndNoLonger() throws Exception {
        String start = "{\"a\":\"";
        String longest = start + "x".repeat(Line.LONGEST - 1 - start.length() - 2) + "\"}";
        ByteArrayInputStream input = new ByteArrayInputStream(utf8(longest + "\n" + longest + " \n{}\n"));
        assertEquals(1, Line.read(Line.next(input)).size());
        assertThrows(Line.Malformed.class, () -> Line.read(Line.next(input)));
        assertEquals(0, Line.read(Line.next(input)).size());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
