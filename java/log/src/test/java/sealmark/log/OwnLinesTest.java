package sealmark.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static sealmark.log.Seals.EMAIL;
import static sealmark.log.Seals.sessionOf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OwnLinesTest {
    @TempDir
    Path folder;

    private final LogSealer sealer = Seals.sealer();
    private final OwnLines own = new OwnLines(Shape.PLAIN);

    @Test
    void theHeaderStandsBeforeTheFirstTokenAndNotAgain() {
        String token = sealer.seal(EMAIL, "a@b.example");
        String before = own.before("login of " + token + "\n");
        assertTrue(before.matches("~s1h~" + sessionOf(token) + "~[\\w-]{12}~1\\.1~[\\w-]+~\n"), before);
        assertTrue(before.endsWith("~\n"), before);
        assertEquals("", own.before("login of " + token + "\n"));
        assertEquals("", own.before(("again " + sealer.seal(EMAIL, "c@d.example")).getBytes(UTF_8)));
    }

    @Test
    void linesWithoutTokensNeedNothing() {
        sealer.seal(EMAIL, "a@b.example");
        assertEquals("", own.before("nothing private here ~s1 ~s1a~ ~s1h~ ~s1x~email~"));
    }

    @Test
    void eachLogHasItsOwn() {
        String token = sealer.seal(EMAIL, "a@b.example");
        String header = own.before(token);
        assertEquals(header, new OwnLines(Shape.PLAIN).before(token));
    }

    @Test
    void aNewFileGetsTheHeaderAgain() {
        String token = sealer.seal(EMAIL, "a@b.example");
        String header = own.before(token);
        own.opening();
        assertEquals(header, own.before(token));
    }

    @ParameterizedTest
    @CsvSource({"whole\\n, ''", "cut ~s1a~ema, \\n", "'', ''", "\\n, ''", "cut\\r, \\n", "whole\\nzero\\0, \\n"})
    void aLineThatWasCutOffIsEndedBeforeOurs(String content, String first) throws IOException {
        Path file = Files.writeString(folder.resolve("log"), unescaped(content));
        String token = sealer.seal(EMAIL, "a@b.example");
        String header = own.before(token);
        assertEquals(unescaped(first), own.opening(file));
        assertEquals(header, own.before(token));
    }

    private static String unescaped(String text) {
        return text.replace("\\n", "\n").replace("\\r", "\r").replace("\\0", "\0");
    }

    @ParameterizedTest
    @CsvSource({"whole\\n\\0\\0, 6, ''", "cut\\0\\0, 3, \\n", "\\0\\0, 0, ''", "\\0, -1, ''", "whole\\n, 7, ''"})
    void aFileMayBeLongerThanWhatWasWritten(String content, long length, String first) throws IOException {
        Path file = Files.writeString(folder.resolve("log"), unescaped(content));
        assertEquals(unescaped(first), own.opening(file, length));
    }

    @Test
    @Timeout(30)
    void whatIsNoFileHasNoLineToEnd() throws Exception {
        assertEquals("", own.opening(folder.resolve("none")));
        assertEquals("", own.opening(folder));
        Path pipe = folder.resolve("pipe");
        assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0, "no pipes");
        assertEquals("", own.opening(pipe));
    }

    @Test
    void linesOfJsonAreJson() {
        OwnLines json = new OwnLines(Shape.JSON);
        String header = json.before("{\"email\":\"" + sealer.seal(EMAIL, "a@b.example") + "\"}");
        assertTrue(header.startsWith("{\"sealmark\":\"~s1h~") && header.endsWith("~\"}\n"), header);
        String closing = json.closing();
        assertTrue(closing.startsWith("{\"sealmark\":\"~s1z~") && closing.endsWith("~\"}\n"), closing);
    }

    @Test
    void tokensOfTwoSealersBringTwoHeaders() {
        String one = sealer.seal(EMAIL, "a@b.example");
        String other = Seals.sealer().seal(EMAIL, "a@b.example");
        String headers = own.before("x ~" + one + other + "~s1");
        assertTrue(headers.contains("~s1h~" + sessionOf(one)) && headers.contains("~s1h~" + sessionOf(other)), headers);
        assertEquals(2, headers.lines().count());
        assertEquals("", own.before(other + one));
    }

    @Test
    void aTokenOfAnotherSessionBehindOneOfTheLastHasItsHeader() {
        String one = sealer.seal(EMAIL, "a@b.example");
        own.before(one);
        String other = Seals.sealer().seal(EMAIL, "a@b.example");
        String headers = own.before(one + " " + other + " " + one);
        assertTrue(headers.startsWith("~s1h~" + sessionOf(other)), headers);
        assertEquals(1, headers.lines().count());
        assertEquals("", own.before(one + other));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u00e4 ", "\u4e16\ud83d\ude00 ", "\u017f~", "~s1", "~s1a~\u00e4~"})
    void whateverStandsBeforeATokenItIsFound(String before) {
        String line = before + sealer.seal(EMAIL, "a@b.example");
        String header = own.before(line);
        assertTrue(header.startsWith("~s1h~"), header);
        assertEquals(header, new OwnLines(Shape.PLAIN).before(line.getBytes(UTF_8)));
        assertEquals("", own.before(line));
    }

    @Test
    void aSessionThatEndedIsClosedBeforeTheNextLine() {
        String token = sealer.seal(EMAIL, "a@b.example");
        own.before(token);
        sealer.endSession();
        String before = own.before("another line");
        assertTrue(before.startsWith("~s1z~" + sessionOf(token) + "~") && before.endsWith("~\n"), before);
        assertEquals("", own.before("another line"));
    }

    @Test
    void theNextSessionHasItsHeaderBehindTheClosingTokenOfTheLast() {
        own.before(sealer.seal(EMAIL, "a@b.example"));
        sealer.endSession();
        String token = sealer.seal(EMAIL, "c@d.example");
        String[] lines = own.before(token).split("\n", 2);
        assertEquals(2, lines.length);
        assertTrue(lines[0].startsWith("~s1z~"), lines[0]);
        assertTrue(lines[1].startsWith("~s1h~" + sessionOf(token)), lines[1]);
    }

    @Test
    void closingEndsTheSessionsOfThisLogOnly() {
        LogSealer stranger = Seals.sealer();
        String token = sealer.seal(EMAIL, "a@b.example");
        String strange = stranger.seal(EMAIL, "a@b.example");
        own.before(token);
        String closing = own.closing();
        assertEquals(sessionOf(token), sessionOf(closing));
        assertEquals(1, closing.lines().count());
        assertNotEquals(sessionOf(token), sessionOf(sealer.seal(EMAIL, "a@b.example")));
        assertEquals(sessionOf(strange), sessionOf(stranger.seal(EMAIL, "a@b.example")));
        assertEquals("", own.closing());
    }

    @Test
    void aLogWithoutTheSessionHearsNothingOfItsEnd() {
        sealer.seal(EMAIL, "a@b.example");
        sealer.endSession();
        assertEquals("", own.before("a line"));
    }

    @Test
    void aLateTokenOfAClosedSessionBringsNeitherItsHeaderNorItsEndAgain() {
        String token = sealer.seal(EMAIL, "a@b.example");
        own.before(token);
        sealer.endSession();
        String late = own.before(token);
        assertTrue(late.startsWith("~s1z~"), late);
        assertEquals(1, late.lines().count());
        assertEquals("", own.before(token));
        assertEquals("", own.closing());
    }

    @Test
    void aSessionThatGoesOnIsKnownHoweverManyOthersEnd() {
        String token = sealer.seal(EMAIL, "a@b.example");
        LogSealer other = Seals.sealer();
        for (int session = 0; session < 1100; session++) {
            other.seal(EMAIL, "a@b.example");
            other.endSession();
        }
        assertTrue(own.before(token).startsWith("~s1h~" + sessionOf(token)));
    }

    @Test
    void aTokenThatComesBehindTheEndOfItsSessionStillHasItsHeader() {
        String token = sealer.seal(EMAIL, "a@b.example");
        sealer.endSession();
        assertTrue(own.before(token).startsWith("~s1h~" + sessionOf(token)));
        assertTrue(own.closing().startsWith("~s1z~" + sessionOf(token)));
    }

    @Test
    void aPartOfALargerArrayIsLookedAt() {
        byte[] bytes = ("<" + sealer.seal(EMAIL, "a@b.example") + ">").getBytes(UTF_8);
        assertEquals("", own.before(bytes, 0, 28));
        assertEquals("", own.before(bytes, 2, bytes.length - 2));
        assertNotEquals("", own.before(bytes, 1, bytes.length - 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 12, 26, 27})
    void aTokenThatIsCutBeforeItsBodyBringsNoHeader(int length) {
        assertEquals("", own.before(sealer.seal(EMAIL, "a@b.example").substring(0, length)));
    }

    @Test
    void tokensOfSessionsOfElsewhereAreLeftAlone() {
        assertEquals("", own.before("~s1a~email~7gQ2mJ0cXbVtR4aL~AAAAAHk3AAAAAHk3AAAAAHk3AAAAAHk3~"));
    }

    /** Applications log where their stack is nearly used up, and catch what comes of it. */
    @Test
    void aThreadOutOfStackTakesNoHeaderAlong() throws Exception {
        LogSealer sealer = Seals.sealer();
        for (int session = 0; session < 20; session++) {
            String token = sealer.seal(EMAIL, "a@b.example");
            OwnLines own = new OwnLines(Shape.PLAIN);
            boolean[] isGiven = {false};
            Thread deep = new Thread(null, () -> askAtTheEnd(1 << 30, own, token, isGiven), "deep", (256 << 10) + 512L * session);
            deep.start();
            deep.join();
            assertTrue(isGiven[0] || !own.before(token).isEmpty(), "session " + session);
            sealer.endSession();
        }
        sealer.close();
    }

    private static int askAtTheEnd(int deeper, OwnLines own, String token, boolean[] isGiven) {
        try {
            return deeper == 0 ? 0 : 1 + askAtTheEnd(deeper - 1, own, token, isGiven);
        } catch (StackOverflowError end) {
            isGiven[0] |= !own.before(token).isEmpty();
            return 0;
        }
    }
}
