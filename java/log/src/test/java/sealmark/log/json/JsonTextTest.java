package sealmark.log.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {
    @ParameterizedTest
    @ValueSource(strings = {"0", "-0", "1", "10", "-1.5", "0.0", "1e9", "1E+9", "1.25e-300", "1e99999", "true",
        "false", "null", "\"\"", "\"a\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83d\"", "\"é😀\u007f\"", "[]", "[ ]",
        "[1]", "[1,2]", "{}", "{ }", "{\"a\":1}", "{\"a\":1,\"a\":[{},[\"x\"]]}", " \t1 \t",
        "\t{ \"a\" : [ 1 , 2 ] } "})
    void isOneJsonText(String text) {
        assertTrue(is(text), text);
        for (int length = 1; length < text.strip().length() && !Character.isDigit(text.charAt(0)); length++) {
            String cut = text.strip().substring(0, length);
            assertFalse(cut.matches("[\\[{\"].*") && is(cut), cut);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1", "1 2", "NaN", "Infinity", "tru",
        "True", "nul", "truex", "\"", "\"a", "\"\\\"", "\"\\x\"", "\"\\u12g4\"", "\"\\u123\"", "\"\\u12n\"", "\"\\u", "\"\\",
        "\"\t\"", "\"\u0000\"", "\"\u001f\"", "'a'", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{", "{\"a\"",
        "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{a:1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}",
        "{\"a\":1]", "]", "}", ",", ":", "1,", "\"a\"b", "\ufeff1", "\u00a01", "1\f", "\n1", "1\r", "[1,\n2]", "//1",
        "1/**/"})
    void isNone(String text) {
        assertFalse(is(text), text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\u00ff\"", "\"\u00c0\u00af\"", "\"\u00ed\u00a0\u0080\"", "\"\u00f4\u0090\u0080\u0080\"",
        "\"\u00e2\u0082\"", "\u0080"})
    void bytesThatAreNoTextAreNone(String bytes) {
        byte[] text = bytes.getBytes(ISO_8859_1);
        assertFalse(JsonText.isUtf8(text, 0, text.length));
        assertFalse(JsonText.is(text, 0, text.length));
    }

    @ParameterizedTest
    @CsvSource({"[, ]", "{\"\":, }", "[{\"\":, }]", "'{\"a\":{},\"\":[1,', ]}"})
    void nestsAsDeepAsItLikes(String open, String close) {
        for (int depth : new int[] {1, 2, 63, 64, 127, 128, 100_000}) {
            String text = open.repeat(depth) + "1" + close.repeat(depth);
            assertTrue(is(text), "" + depth);
            assertFalse(is(text + close));
            assertFalse(is(text.substring(0, text.length() - 1)));
            assertFalse(is(open.repeat(depth) + "1" + (close.charAt(0) == ']' ? '}' : ']') + close.repeat(depth)));
        }
        assertFalse(is(open.repeat(100_000)));
    }

    @Test
    void textIsAskedInPieces() {
        byte[] text = "é".repeat(5000).getBytes(UTF_8);
        assertTrue(JsonText.isUtf8(text, 0, text.length));
        assertFalse(JsonText.isUtf8(text, 0, text.length - 1));
        assertFalse(JsonText.isUtf8(text, 1, text.length));
        assertTrue(JsonText.isUtf8(text, 2, 2));
    }

    @Test
    void aStringIsToldFromOthers() {
        for (String text : new String[] {"\"a\"", " \t\"a\""}) {
            assertTrue(JsonText.isString(text.getBytes(UTF_8), 0, text.length()));
        }
        assertFalse(JsonText.isString("[\"a\"]".getBytes(UTF_8), 0, 5));
    }

    private static boolean is(String text) {
        byte[] padded = ("1" + text + "1").getBytes(UTF_8);
        return JsonText.is(padded, 1, padded.length - 1);
    }
}
