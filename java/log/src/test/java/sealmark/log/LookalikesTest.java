package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;
import static sealmark.log.Seals.sessionOf;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.LogOpener;
import sealmark.log.reader.OpenReport;

/** Text of strangers that looks like a token is sealed in finished lines, and stands in the opened log again. */
class LookalikesTest {
    private static final String SESSION = "7gQ2mJ0cXbVtR4aL";
    private static final String STRANGE = "~s1a~email~" + SESSION + "~AAAAAHk3AAAAAHk3AAAAAHk3AAAAAHk3~";

    private final PreSharedKey key = PreSharedKey.generate();
    private final LogSealer sealer = Seals.builder().preSharedKey(key).build();
    private final SessionLines own = new SessionLines(Shape.PLAIN);
    private final String token = sealer.seal(EMAIL, "a@b.example");

    @AfterEach
    void close() {
        sealer.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"%s", "/path?q=%s HTTP/1.1", "{\"url\":\"%s\"}", "%s%s", "%s %s", "{\"a\":\"%s\",\"b\":\"%s\"}"})
    void aTokenAPartAndAClosingTokenAreSealed(String line) {
        String closing = "~s1z~" + SESSION + "~" + "A".repeat(32) + "~";
        List<String> all = List.of(STRANGE, closing, partOfAStranger(), "~s1q~a~" + SESSION + "~cut",
                "~s1a~email~" + SESSION + "~", "~s1z~" + sessionOf(token) + "~AAA~", "~s1h~" + SESSION + "~1.1~");
        for (String one : all) {
            assertNeutral(line.replace("%s", one));
            assertNeutral(line.replace("%s", one) + token);
            assertNeutral(token + line.replace("%s", one) + token);
        }
    }

    /** One that a stranger wrote has another session than this JVM's, or copies one of its own. */
    private String partOfAStranger() {
        return own.before(token).strip();
    }

    @Test
    void whatIsNoTokenAndOwnTokensStay() {
        own.before(token);
        for (String line : List.of("", "a line", "~s1", "~s1x~email~", "~s1a~email~", "~s1a~" + SESSION, "~s1b~a~" + SESSION + "~",
                "~s1h~", token, token + token, "{\"email\":\"" + token + "\"}",
                token.substring(0, token.length() - 3))) {
            assertSame(line, own.withoutLookalikes(sealer, line));
        }
    }

    /** The tilde that ends what a stranger wrote begins a token of ours. */
    @Test
    void noStrangerTakesAwayTheTokenBehindHisText() {
        for (String before : List.of("~s1a~email~" + SESSION + "~" + "A".repeat(30), "~s1a~email~" + SESSION,
                "~s1a", "~s1", "~s1a~", "~s1z~" + SESSION + "~" + "A".repeat(40))) {
            assertNeutral(before + token + " " + token);
        }
        // Its label stands where what was cut off would have its session.
        String named = "~s1a" + sealer.seal(Label.of("sixteen_letters_"), "x");
        String neutral = own.withoutLookalikes(sealer, named);
        assertTrue(neutral.startsWith("~s1a~lookalike~") && neutral.endsWith("~" + named.substring(4)), neutral);
    }

    @Test
    void aLineGrowsFourTimesAtMost() {
        for (String one : List.of("~s1a~a~" + SESSION, "~s1a~a~" + SESSION + "~", "~s1a~a~" + SESSION + "~ ", STRANGE)) {
            String line = one.repeat(1000);
            assertTrue(own.withoutLookalikes(sealer, line).length() < 4 * line.length(), one);
        }
    }

    @Test
    void withoutASealerOfTheNameAnotherSealsAndWithoutAnyThereIsAMarker() {
        assertEquals("~s1x~lookalike~~", own.withoutLookalikes(Sealers.find("nobody"), STRANGE));
        Sealers.install("other", sealer);
        try {
            long before = sealer.sealed();
            assertTrue(own.withoutLookalikes(Sealers.find("nobody"), STRANGE).startsWith("~s1a~lookalike~"));
            assertEquals(before + 1, sealer.sealed());
        } finally {
            Sealers.remove("other");
        }
    }

    @Test
    void whateverPiecesALineHasItIsNeutralAndOpensToItself() {
        Random random = new Random(1);
        List<String> pieces = List.of("~", "~s1", "a~", "s1a~", "p", "email", SESSION, "~" + SESSION + "~", "A".repeat(27),
                "A".repeat(12), "1.1", "~s1h~", "~s1z~", "~s1a~email~" + SESSION + "~", " ", "\u00e9", token, STRANGE, sessionOf(token));
        for (int round = 0; round < 3000; round++) {
            StringBuilder line = new StringBuilder();
            random.ints(1 + random.nextInt(8), 0, pieces.size()).mapToObj(pieces::get).forEach(line::append);
            assertNeutral(line.toString());
        }
    }

    /** All text that readers take for tokens is of our sessions, and the opened line is as if only own tokens had been opened. */
    private void assertNeutral(String line) {
        String neutral = own.withoutLookalikes(sealer, line);
        // The token is of no log, what is sealed here of this one.
        SessionLines fresh = new SessionLines(Shape.PLAIN);
        String header = fresh.before(token) + fresh.before(neutral);
        try (LogOpener opener = LogOpener.builder().preSharedKey(key).build()) {
            opener.learn(header.getBytes(ISO_8859_1));
            String opened = new String(opener.open(neutral.getBytes(UTF_8)), UTF_8);
            OpenReport report = opener.report();
            assertEquals(0, report.orphans() + report.noKey(), neutral);
            assertEquals(line.replace(token, "a@b.example"), opened, neutral);
            assertFalse(neutral.matches("(?s).*~s1h~[\\w-]{16}~[\\w-]{12}~\\d+\\.\\d+~[\\w-]+~.*"), neutral);
        }
    }
}
