package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.nio.CharBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.LogOpener;
import sealmark.testing.SealmarkProgram;
import tools.jackson.databind.json.JsonMapper;

/** Values that are JSON open to the very same bytes, in the place of the string that their token fills. */
class JsonValuesTest {
    private static final Path NATIVE = Path.of(System.getProperty("sealmark.jni"));
    private static final PreSharedKey KEY = PreSharedKey.generate();
    private static final Label LABEL = Label.of("v");
    private static final String SEALER = "json values";
    private static final String DEEP = "[".repeat(5_000) + "]".repeat(5_000);
    private static final List<String> TEXTS = List.of("0", "-0.0", "31337", "1.50e+3", "123456789012345678901234567890",
            "true", "false", "null", "\"\"", "\"a@b.example\"", "\"\\u00e9\\/\\u001F é \\ud83d\"", "{}",
            " {\"a\" : [1, \"\\n\"]}\t", "[\"~s1a~v~\"]", DEEP, "\"" + "x".repeat(40_000) + "\"",
            "\"" + "é".repeat(200_000) + "\"");
    private static final List<String> OTHERS = List.of("", " ", "secret", "'1'", "01", "1.", "NaN", "1 2", "1,2",
            "[1,]", "{\"a\":1", "\"a", "[1,\n2]", "1\r", "\"\t\"", DEEP + "]", "x".repeat(40_000), "x".repeat(200_000));
    private static final List<String> SHORT = Stream.concat(TEXTS.stream(), OTHERS.stream())
            .filter(text -> text.length() < 100).toList();
    private static final String PIECES = "[]{}\",:0159-+.eEtfn\\u/ \t\n\u0001\u007fé\ud83d";

    @TempDir
    Path folder;

    @AfterEach
    void removeSealer() {
        Sealers.remove(SEALER);
    }

    static Stream<Arguments> ways() {
        return Stream.of(LogSealer.Engine.PURE_JAVA, LogSealer.Engine.NATIVE)
                .flatMap(engine -> Stream.of(0, 32).map(padding -> Arguments.of(engine, padding)));
    }

    private static LogSealer sealer(LogSealer.Engine engine, int padding) {
        assumeTrue(engine != LogSealer.Engine.NATIVE || Files.exists(NATIVE), "no native library was built");
        return LogSealer.builder().preSharedKey(KEY).engine(engine).padding(padding).build();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void bothOpenThemInPlaceOfTheirStrings(LogSealer.Engine engine, int padding) throws Exception {
        LogSealer sealer = sealer(engine, padding);
        SessionLines own = new SessionLines(Shape.JSON);
        StringBuilder sealed = new StringBuilder();
        StringBuilder plain = new StringBuilder();
        for (String text : TEXTS) {
            for (String token : sealedInEachWay(sealer, text)) {
                assertTrue(token.startsWith(padding == 0 ? "~s1j~v~" : "~s1q~v~"), token);
                sealed.append(own.before(token)).append("{\"v\":\"").append(token).append("\"}\n");
                plain.append("{\"v\":").append(text).append("}\n");
            }
        }
        assertEquals(4L * TEXTS.size(), sealer.sealed());
        sealer.close();
        byte[] log = sealed.append(own.closing()).toString().getBytes(UTF_8);
        try (LogOpener opener = LogOpener.builder().preSharedKey(KEY).build()) {
            assertEquals(plain.toString(), new String(opener.open(log), UTF_8));
            assertTrue(opener.report().isWhole(), () -> opener.report().toString());
        }
        SealmarkProgram.assumeBuilt();
        Path key = Files.writeString(folder.resolve("key.txt"), new String(KEY.secretChars()));
        Path file = Files.write(folder.resolve("app.log"), log);
        SealmarkProgram.run(folder, "log", "verify", "--psk", key.toString(), "--closed", file.toString());
        byte[] opened = SealmarkProgram.run(folder, "log", "open", "--psk", key.toString(), file.toString());
        assertArrayEquals(plain.toString().getBytes(UTF_8), opened);
    }

    private static List<String> sealedInEachWay(LogSealer sealer, String text) {
        byte[] bytes = ("<" + text + ">").getBytes(UTF_8);
        byte[] out = new byte[sealer.tokenLength(LABEL, bytes.length - 2) + 2];
        int length = sealer.sealJson(LABEL, bytes, 1, bytes.length - 2, out, 1);
        assertEquals(out.length - 2, length);
        assertEquals(0, out[0] | out[length + 1], "written beside");
        return List.of(sealer.sealJson(LABEL, text), sealer.sealJson(Label.of("v"), CharBuffer.wrap(text)),
                new String(sealer.sealJson(LABEL, text.getBytes(UTF_8)), ISO_8859_1),
                new String(out, 1, length, ISO_8859_1));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void whatIsNoneBecomesAMarker(LogSealer.Engine engine, int padding) {
        LogSealer sealer = sealer(engine, padding);
        for (String text : OTHERS) {
            byte[] bytes = text.getBytes(UTF_8);
            byte[] out = new byte[sealer.tokenLength(LABEL, bytes.length)];
            assertEquals("~s1x~v~", sealer.sealJson(LABEL, text));
            assertEquals("~s1x~v~", new String(sealer.sealJson(LABEL, bytes), ISO_8859_1));
            assertEquals(7, sealer.sealJson(LABEL, bytes, 0, bytes.length, out, 0));
            assertEquals("~s1x~v~", new String(out, ISO_8859_1).replace("\0", ""));
        }
        assertEquals("~s1x~v~", new String(sealer.sealJson(LABEL, new byte[] {'"', -1, '"'}), ISO_8859_1));
        assertEquals(3L * OTHERS.size() + 1, sealer.failed());
        assertEquals("the value is not a single JSON value on one line", sealer.lastFailure());
        assertEquals(0, sealer.sealed());
    }

    /** One reads JSON in Rust, the other in Java. */
    @Test
    void bothEnginesTakeTheSameTexts() {
        LogSealer nativeCode = sealer(LogSealer.Engine.NATIVE, 0);
        LogSealer pureJava = sealer(LogSealer.Engine.PURE_JAVA, 0);
        Random random = new Random(7);
        for (int round = 0; round < 100_000; round++) {
            String text = altered(random, SHORT.get(random.nextInt(SHORT.size())));
            boolean isTaken = pureJava.sealJson(LABEL, text).startsWith("~s1j~");
            assertEquals(isTaken, nativeCode.sealJson(LABEL, text).startsWith("~s1j~"), text);
        }
        assertTrue(pureJava.sealed() > 10_000 && pureJava.failed() > 10_000, pureJava.sealed() + " are JSON");
    }

    private static String altered(Random random, String text) {
        StringBuilder altered = new StringBuilder(text);
        for (int left = random.nextInt(4); left > 0; left--) {
            int at = random.nextInt(altered.length() + 1);
            int end = Math.min(altered.length(), at + random.nextInt(3));
            char piece = PIECES.charAt(random.nextInt(PIECES.length()));
            altered.replace(at, end, random.nextBoolean() ? "" : String.valueOf(piece));
        }
        return altered.toString();
    }

    /** Long ones take other ways than short ones. */
    @ParameterizedTest
    @MethodSource("ways")
    void aTokenMayBeWrittenOverItsValue(LogSealer.Engine engine, int padding) {
        LogSealer sealer = sealer(engine, padding);
        for (String text : List.of("31337", "\"" + "x".repeat(1_000) + "\"", "\"" + "x".repeat(200_000) + "\"")) {
            for (int at : new int[] {0, 3, 20}) {
                byte[] json = new byte[at + sealer.tokenLength(LABEL, text.length()) + text.length()];
                System.arraycopy(text.getBytes(UTF_8), 0, json, at, text.length());
                byte[] any = json.clone();
                int length = sealer.sealJson(LABEL, json, at, text.length(), json, 0);
                assertEquals("{\"v\":" + text + "}", openedInPlace(new String(json, 0, length, ISO_8859_1)));
                length = sealer.seal(LABEL, any, at, text.length(), any, 0);
                assertEquals("{\"v\":\"" + text.replace("\"", "\\\"") + "\"}",
                        openedInPlace(new String(any, 0, length, ISO_8859_1)));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theLongestTextIsSealedAndNoLonger(LogSealer.Engine engine, int padding) {
        LogSealer sealer = sealer(engine, padding);
        String longest = "\"" + "x".repeat(sealer.maxValue() - 2) + "\"";
        String tooLong = "\"" + "x".repeat(sealer.maxValue() - 1) + "\"";
        assertEquals("{\"v\":" + longest + "}", openedInPlace(sealer.sealJson(LABEL, longest)));
        byte[] token = sealer.sealJson(LABEL, longest.getBytes(UTF_8));
        assertEquals("{\"v\":" + longest + "}", openedInPlace(new String(token, ISO_8859_1)));
        assertEquals("~s1x~v~", sealer.sealJson(LABEL, tooLong));
        assertEquals("~s1x~v~", new String(sealer.sealJson(LABEL, tooLong.getBytes(UTF_8)), ISO_8859_1));
        assertEquals("the value is longer than " + sealer.maxValue() + " bytes, the limit of a token", sealer.lastFailure());
        assertEquals(2, sealer.failed());
    }

    @ParameterizedTest
    @MethodSource("ways")
    void onlyTheCallersOwnMistakesThrow(LogSealer.Engine engine, int padding) {
        LogSealer sealer = sealer(engine, padding);
        byte[] out = new byte[sealer.tokenLength(LABEL, 4)];
        assertThrows(IndexOutOfBoundsException.class, () -> sealer.sealJson(LABEL, new byte[4], 1, 4, out, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> sealer.sealJson(LABEL, new byte[4], 0, 4, out, 1));
        sealer.close();
        assertEquals("~s1x~v~", sealer.sealJson(LABEL, "1"));
    }

    @ParameterizedTest
    @EnumSource(value = LogSealer.Engine.class, names = {"AUTO", "PURE_JAVA"})
    void sealedNumbersAndBooleansAreJsonWhereJsonIsWritten(LogSealer.Engine engine) {
        LogSealer sealer = sealer(engine, 0);
        Sealers.install(SEALER, sealer);
        List<Object> json = List.of(42, -1L, 1.5, 1e300, new BigDecimal("1E+3"), new AtomicInteger(7), true, false);
        for (Object value : json) {
            assertEquals("{\"v\":" + value + "}", openedInPlace(Sealed.of("v", value).by(SEALER).toJsonToken()));
        }
        List<Object> text = List.of("42", "true", Double.NaN, Float.NEGATIVE_INFINITY, 'x', List.of(1));
        for (Object value : text) {
            assertEquals("{\"v\":\"" + value + "\"}", openedInPlace(Sealed.of("v", value).by(SEALER).toJsonToken()));
        }
        assertEquals("{\"v\":\"null\"}", openedInPlace(Sealed.of("v", null).by(SEALER).toJsonToken()));
        assertEquals("{\"v\":\"42\"}", openedInPlace(Sealed.of("v", 42).by(SEALER).toString()));
        assertEquals(0, sealer.failed());
    }

    /** Encoders hand arguments of log calls to Jackson. */
    @Test
    void jackson2And3WriteAToken() throws Exception {
        Sealers.install(SEALER, sealer(LogSealer.Engine.PURE_JAVA, 0));
        Map<String, Object> fields = Map.of("v", Sealed.of(LABEL, 42).by(SEALER));
        for (String line : List.of(new ObjectMapper().writeValueAsString(fields),
                new JsonMapper().writeValueAsString(fields))) {
            assertTrue(line.matches("\\{\"v\":\"~s1j~v~[^\"]+\"}"), line);
        }
    }

    @Test
    void aNumberThatCannotBeWrittenBecomesAMarker() {
        LogSealer sealer = sealer(LogSealer.Engine.PURE_JAVA, 0);
        Sealers.install(SEALER, sealer);
        Object broken = new AtomicInteger() {
            private static final long serialVersionUID = 1;

            @Override
            public String toString() {
                throw new IllegalStateException("4111");
            }
        };
        assertEquals("~s1x~v~", Sealed.of("v", broken).by(SEALER).toJsonToken());
        assertEquals("java.lang.IllegalStateException", sealer.lastFailure());
        assertEquals("~s1x~v~", Sealed.of("v", 1).by("nobody").toJsonToken());
    }

    @Test
    void jsonWithTokensInItIsSealedAsText() {
        LogSealer sealer = sealer(LogSealer.Engine.PURE_JAVA, 0);
        String token = sealer.seal(LABEL, "a@b.example");
        assertEquals("{\"v\":[\"~s1a~v~\"]}", openedInPlace(Tokens.sealJson(sealer, LABEL, "[\"~s1a~v~\"]", "text")));
        assertEquals("{\"v\":\"text\"}", openedInPlace(Tokens.sealJson(sealer, LABEL, "no json", "text")));
        String sealed = Tokens.sealJson(sealer, LABEL, "[\"" + token + "\"]", "[" + token + "]");
        assertEquals("{\"v\":\"[a@b.example]\"}", openedInPlace(sealed));
    }

    @Test
    void stringsAreSealedAsJsonOnlyWhereReadersWriteThemOtherwise() {
        LogSealer sealer = sealer(LogSealer.Engine.PURE_JAVA, 0);
        for (String json : List.of("\"\"", "\"a\"", "\"é/\u007f\"", "\"\\\"\\\\\\b\\f\\n\\r\\t\\u000b\\u001f\"")) {
            String token = Tokens.sealJson(sealer, LABEL, json, textOf(json));
            assertTrue(token.startsWith("~s1a~"), json);
            assertEquals("{\"v\":" + json + "}", openedInPlace(token));
        }
        for (String json : List.of("\"\\u00e9\"", "\"\\/\"", "\"\\u001F\"", "\"\\u000a\"", "\"\\u0022\"", " \"a\"")) {
            String token = Tokens.sealJson(sealer, LABEL, json, "text");
            assertTrue(token.startsWith("~s1j~"), json);
            assertEquals("{\"v\":" + json + "}", openedInPlace(token));
        }
    }

    /** In JSON, text stands with its escapes, and so do the quotes that are left. */
    @Test
    void tokensThatFillStringsInATextKeepTheirQuotes() {
        LogSealer sealer = sealer(LogSealer.Engine.PURE_JAVA, 32);
        String token = sealer.sealJson(LABEL, "31337");
        String number = "\"" + token + "\"";
        String text = "\"" + sealer.seal(LABEL, "a \"b\"") + "\"";
        assertEquals(token, Tokens.seal(sealer, LABEL, token));
        assertEquals("{'v':'{\\'n\\':31337}'}", openedAsText(sealer, "{\"n\":" + number + "}"));
        assertEquals("{'v':'order={\\'n\\':[31337,31337],\\'t\\':\\'a \\\\\\'b\\\\\\'\\'} end'}",
                openedAsText(sealer, "order={\"n\":[" + number + "," + number + "],\"t\":" + text + "} end"));
        String escaped = number.replace("\"", "\\\"");
        assertEquals("{'v':'{\\'o\\':\\'{\\\\\\'n\\\\\\':31337}\\'}'}",
                openedAsText(sealer, "{\"o\":\"{\\\"n\\\":" + escaped + "}\"}"));
        for (String other : List.of(number, "[" + number + "]", "{" + token + "}", number.substring(1) + "{")) {
            String sealed = Tokens.seal(sealer, LABEL, other);
            assertFalse(sealed.contains("\"") || sealed.contains("{"), sealed);
            assertEquals(other.replace(token, "31337") + ".", opened(sealed + "."));
        }
    }

    private static String openedAsText(LogSealer sealer, String text) {
        return openedInPlace(Tokens.seal(sealer, LABEL, text).replace("\"", "\\\"")).replace('"', '\'');
    }

    private static String textOf(String json) {
        String escapes = json.replaceAll("\\\\u00(..)", "<$1>").translateEscapes();
        return escapes.substring(1, escapes.length() - 1).replace("<0b>", "\u000b").replace("<1f>", "\u001f");
    }

    private static String openedInPlace(String token) {
        return opened("{\"v\":\"" + token + "\"}");
    }

    private static String opened(String line) {
        try (LogOpener opener = LogOpener.builder().preSharedKey(KEY).build()) {
            opener.learn(new SessionLines(Shape.JSON).before(line).getBytes(UTF_8));
            return new String(opener.open(line.getBytes(UTF_8)), UTF_8);
        }
    }
}
