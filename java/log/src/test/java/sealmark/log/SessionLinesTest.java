package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static sealmark.log.Seals.EMAIL;
import static sealmark.log.Seals.sessionOf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionLinesTest {
    @TempDir
    Path folder;

    private final LogSealer sealer = Seals.sealer();
    private final SessionLines own = new SessionLines(Shape.PLAIN);

    @Test
    void theHeaderStandsBeforeTheFirstTokenAndNotAgain() {
        String token = sealer.seal(EMAIL, "a@b.example");
        String before = own.before("login of " + token + "\n");
        assertTrue(before.matches("~s1h~" + sessionOf(token) + "~[\\w-]{12}~1\\.1~[\\w-]+~\n"), before);
        assertTrue(before.endsWith("~\n"), before);
        assertEquals("", own.before("login of " + token + "\n"));
        assertEquals("", own.before("again " + sealer.seal(EMAIL, "c@d.example")));
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
        assertEquals(header, new SessionLines(Shape.PLAIN).before(token));
    }

    /** Values that are sealed while a line is formatted are in a session of that log alone, so that it can be verified by itself. */
    @Test
    void eachLogHasSessionsOfItsOwn() {
        SessionLines other = new SessionLines(Shape.PLAIN);
        String mine = own.format(() -> sealer.seal(EMAIL, "a@b.example"));
        String others = other.format(() -> mine + sealer.seal(EMAIL, "a@b.example")).substring(mine.length());
        String nobodys = sealer.seal(EMAIL, "a@b.example");
        assertEquals(3, Set.of(sessionOf(mine), sessionOf(others), sessionOf(nobodys)).size());
        assertEquals(sessionOf(mine), sessionOf(own.format(() -> sealer.seal(EMAIL, "c@d.example"))));
        assertEquals(4, sealer.sealed());
        assertTrue(own.hasTokensOfAnother("of " + others));
        assertFalse(own.hasTokensOfAnother(mine + nobodys + "~s1a~"));
        own.before(mine);
        other.before(others);
        assertTrue(own.closing().contains("~s1z~" + sessionOf(mine)));
        assertEquals("", other.before(others));
        sealer.endSession();
        assertTrue(other.before("").contains("~s1z~" + sessionOf(others)));
        assertEquals(4, sealer.sealed());
    }

    @Test
    void aLineWithinALineIsOfItsOwnLog() {
        SessionLines other = new SessionLines(Shape.PLAIN);
        List<String> inner = new ArrayList<>();
        List<String> outer = own.format(() -> {
            String before = sealer.seal(EMAIL, "a@b.example");
            inner.add(other.format(() -> sealer.seal(EMAIL, "a@b.example")));
            return List.of(before, sealer.seal(EMAIL, "a@b.example"));
        });
        assertEquals(sessionOf(outer.get(0)), sessionOf(outer.get(1)));
        assertNotEquals(sessionOf(outer.get(0)), sessionOf(inner.get(0)));
        assertThrows(IllegalStateException.class, () -> own.format(() -> {
            throw new IllegalStateException();
        }));
        assertNotEquals(sessionOf(outer.get(0)), sessionOf(sealer.seal(EMAIL, "a@b.example")), "no line is formatted any more");
    }

    @Test
    void noLogSealsWithASealerThatWasClosedOrIsSuspended() {
        own.format(() -> sealer.seal(EMAIL, "a@b.example"));
        sealer.suspend();
        assertEquals("~s1x~email~", own.format(() -> sealer.seal(EMAIL, "a@b.example")));
        assertEquals("~s1x~email~", new SessionLines(Shape.PLAIN).format(() -> sealer.seal(EMAIL, "a@b.example")));
        sealer.resume();
        assertTrue(own.format(() -> sealer.seal(EMAIL, "a@b.example")).startsWith("~s1a~"));
        sealer.close();
        assertEquals("~s1x~email~", own.format(() -> sealer.seal(EMAIL, "a@b.example")));
        assertEquals("~s1x~email~", new SessionLines(Shape.PLAIN).format(() -> sealer.seal(EMAIL, "a@b.example")));
        assertEquals(2, sealer.sealed());
        assertEquals(4, sealer.failed());
    }

    @Test
    void aPatternSealsOnlyWhereAHeaderCanBeWritten() {
        String name = "a pattern's";
        List<String> told = new ArrayList<>();
        Sealers.install(name, sealer);
        try {
            LogSealer outside = Sealers.forLine(name, () -> told.add("no log"));
            assertEquals("~s1x~email~", outside.seal(EMAIL, "a@b.example"));
            assertEquals(List.of("no log"), told);
            assertEquals(1, sealer.failed());
            assertTrue(sealer.lastFailure().contains("writes no headers"), sealer.lastFailure());
            assertSame(sealer, own.format(() -> Sealers.forLine(name, () -> told.add("no log"))));
            LogSealer withSideFile = Seals.builder().sideFile(folder.resolve("side.txt")).build();
            Sealers.install(name, withSideFile);
            assertSame(withSideFile, Sealers.forLine(name, () -> told.add("no log")));
            assertEquals(1, told.size());
        } finally {
            Sealers.remove(name);
        }
        assertTrue(Sealers.forLine(name, () -> told.add("no log")).seal(EMAIL, "x").startsWith("~s1x~"));
        assertEquals(1, told.size(), "no sealer is another reason");
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
        SessionLines json = new SessionLines(Shape.JSON);
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
        assertEquals(header, new SessionLines(Shape.PLAIN).before(new String(line.getBytes(UTF_8), ISO_8859_1)));
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
    void aPartOfATokenBringsNoHeader() {
        String line = "<" + sealer.seal(EMAIL, "a@b.example") + ">";
        assertEquals("", own.before(line.substring(0, 28)));
        assertEquals("", own.before(line.substring(2)));
        assertNotEquals("", own.before(line.substring(1)));
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
            SessionLines own = new SessionLines(Shape.PLAIN);
            boolean[] isGiven = {false};
            Thread deep = new Thread(null, () -> askAtTheEnd(1 << 30, own, token, isGiven), "deep", (256 << 10) + 512L * session);
            deep.start();
            deep.join();
            assertTrue(isGiven[0] || !own.before(token).isEmpty(), "session " + session);
            sealer.endSession();
        }
        sealer.close();
    }

    private static int askAtTheEnd(int deeper, SessionLines own, String token, boolean[] isGiven) {
        try {
            return deeper == 0 ? 0 : 1 + askAtTheEnd(deeper - 1, own, token, isGiven);
        } catch (StackOverflowError end) {
            isGiven[0] |= !own.before(token).isEmpty();
            return 0;
        }
    }

    /** The number of headers, which have one part here, before each of some records. */
    private int copies(SessionLines records, String record) {
        return (int) records.before(record).lines().filter(line -> line.startsWith("~s1h~")).count();
    }

    @Test
    void aHeaderIsSentAgainByVolumeAndWithTheClosingToken() {
        SessionLines records = SessionLines.ofRecords();
        List<Integer> sentAt = new ArrayList<>();
        for (int at = 0; at < 2200; at++) {
            String record = records.format(() -> "login of " + sealer.seal(EMAIL, "a@b.example"));
            for (int copy = copies(records, record); copy > 0; copy--) {
                sentAt.add(at);
            }
        }
        assertEquals(List.of(0, 1, 5, 21, 85, 1085, 2085), sentAt);
        assertEquals("", records.before(""), "no record is counted");
        List<String> closing = records.closing().lines().map(line -> line.substring(0, 5)).toList();
        assertEquals(List.of("~s1h~", "~s1z~", "~s1z~"), List.of(closing.get(0), closing.get(1), closing.get(3)));
        assertEquals(4, closing.size());
    }

    @Test
    void aShortSessionSendsFiveCopiesInAll() {
        SessionLines records = SessionLines.ofRecords();
        String record = records.format(() -> sealer.seal(EMAIL, "a@b.example"));
        assertEquals(1, copies(records, record));
        assertEquals(4, records.closing().lines().filter(line -> line.startsWith("~s1h~")).count());
        assertEquals("", records.closing());
    }

    /** A receiver's appender may format a record on a thread of its own, which nobody tells the log of. */
    @Test
    void aRecordThatSomebodyElseFormatsGetsItsHeaderToo() {
        SessionLines records = SessionLines.ofRecords();
        assertEquals("", records.before("nothing private"));
        Sealers.install("of records", sealer);
        String own = records.format(() -> sealer.seal(EMAIL, "a@b.example"));
        String nobodys = sealer.seal(EMAIL, "a@b.example");
        String others = new SessionLines(Shape.PLAIN).format(() -> sealer.seal(EMAIL, "a@b.example"));
        String headers = records.before("");
        assertTrue(headers.contains(sessionOf(own)) && headers.contains(sessionOf(nobodys)), headers);
        assertFalse(headers.contains(sessionOf(others)), headers);
        assertEquals("", records.before(""));
        sealer.endSession();
        String late = records.format(() -> sealer.seal(EMAIL, "a@b.example"));
        sealer.endSession();
        assertTrue(records.before("").contains("~s1h~" + sessionOf(late)), "a session that has ended already");
        String last = records.format(() -> sealer.seal(EMAIL, "a@b.example"));
        assertTrue(records.closing().contains("~s1h~" + sessionOf(last)));
        Sealers.remove("of records");
    }
}
