package sealmark.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;
import static sealmark.log.Seals.sessionOf;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sealmark.log.engine.LostSlots;
import sealmark.log.engine.Session;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.LogOpener;
import sealmark.log.reader.OpenReport;

class SessionsTest {
    @Test
    void aSessionEndsAfterItsValues() {
        LogSealer sealer = Seals.builder().rotateAfterValues(5).build();
        Set<String> sessions = new LinkedHashSet<>();
        for (int value = 0; value < 20; value++) {
            sessions.add(sessionOf(sealer.seal(EMAIL, "a@b.example")));
        }
        assertEquals(4, sessions.size());
        assertEquals(20, sealer.sealed());
    }

    @Test
    void aSessionEndsWhenItIsOldEnough() throws InterruptedException {
        LogSealer sealer = Seals.builder().rotateAfter(Duration.ofMillis(20)).build();
        String first = sessionOf(sealer.seal(EMAIL, "a@b.example"));
        for (int wait = 0; wait < 1_000 && sessionOf(sealer.seal(EMAIL, "a@b.example")).equals(first); wait++) {
            Thread.sleep(10);
        }
        assertNotEquals(first, sessionOf(sealer.seal(EMAIL, "a@b.example")));
    }

    /** A thread that ran out of stack at the wrong moment, for example. */
    @Test
    @Timeout(60)
    void aThreadThatIsLostInASessionKeepsNoOtherWaiting() throws Exception {
        CurrentSession sessions = new CurrentSession(Seals.builder());
        Session first = sessions.get();
        LostSlots.lose(first);
        Thread ending = new Thread(sessions::end);
        ending.start();
        long begun = System.nanoTime();
        while (sessions.get() == first) {
            Thread.onSpinWait();
        }
        assertTrue(System.nanoTime() - begun < Duration.ofSeconds(5).toNanos(), "waited for a thread that is lost");
        assertTrue(ending.isAlive(), "nobody waited for it");
        ending.join();
        sessions.close();
    }

    @Test
    void aLongLifeIsNoMistake() {
        LogSealer sealer = Seals.builder().rotateAfter(Duration.ofSeconds(Long.MAX_VALUE)).build();
        assertEquals(sessionOf(sealer.seal(EMAIL, "a")), sessionOf(sealer.seal(EMAIL, "b")));
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "PURE_JAVA"})
    void aHeaderNamesTheSessionBeforeInTheSameLog(LogSealer.Engine engine) {
        PreSharedKey key = PreSharedKey.generate();
        SessionLines own = new SessionLines(Shape.PLAIN);
        StringBuilder log = new StringBuilder();
        List<String> sessions = new ArrayList<>();
        LogSealer sealer = Seals.builder().preSharedKey(key).engine(engine).rotateAfterValues(2).build();
        for (int value = 0; value < 6; value++) {
            String token = sealer.seal(EMAIL, "a@b.example");
            log.append(own.before(token)).append(token).append('\n');
            sessions.add(sessionOf(token));
        }
        sealer.close();
        log.append(own.closing());
        try (LogOpener opener = LogOpener.builder().preSharedKey(key).build()) {
            opener.open(log.toString().getBytes(UTF_8));
            Map<String, OpenReport.SessionReport> reports = opener.report().sessions();
            assertEquals(Optional.empty(), reports.get(sessions.get(0)).previous());
            for (int session = 2; session < 6; session += 2) {
                assertEquals(Optional.of(new OpenReport.Previous(sessions.get(session - 2), OptionalLong.of(2))),
                        reports.get(sessions.get(session)).previous());
            }
        }
    }

    /** One of them may have no value of a session, and would miss it. */
    @Test
    void aSealerOfSeveralLogsNamesNone() {
        PreSharedKey key = PreSharedKey.generate();
        LogSealer sealer = Seals.builder().preSharedKey(key).build();
        SessionLines one = new SessionLines(Shape.PLAIN);
        SessionLines other = new SessionLines(Shape.PLAIN);
        one.before(sealer.seal(EMAIL, "a"));
        other.before(sealer.seal(EMAIL, "a"));
        sealer.endSession();
        String token = sealer.seal(EMAIL, "a");
        try (LogOpener opener = LogOpener.builder().preSharedKey(key).build()) {
            opener.open((one.before(token) + token).getBytes(UTF_8));
            assertEquals(Optional.empty(), opener.report().sessions().get(sessionOf(token)).previous());
        }
    }

    @Test
    void aTokenThatIsCutOffIsCounted() {
        PreSharedKey key = PreSharedKey.generate();
        LogSealer sealer = Seals.builder().preSharedKey(key).build();
        String token = sealer.seal(EMAIL, "a@b.example");
        String header = new SessionLines(Shape.PLAIN).before(token);
        String cut = token.substring(0, token.length() - 2);
        try (LogOpener opener = LogOpener.builder().preSharedKey(key).build()) {
            assertEquals(cut + " ~s1a~email~AAAAAAAAAAAAAAAA~",
                    new String(opener.open((header + cut + " ~s1a~email~AAAAAAAAAAAAAAAA~").getBytes(UTF_8)), UTF_8));
            assertEquals(1, opener.report().cutOff());
            assertFalse(opener.report().isWhole());
        }
    }

    @Test
    void nullIsTheTextNull() {
        LogSealer sealer = Seals.sealer();
        assertEquals(sealer.tokenLength(EMAIL, 4), sealer.seal(EMAIL, (CharSequence) null).length());
    }

    @Test
    void labelsFromElsewhereAreMadeToFit() {
        assertEquals("user_name_", Label.fit("user name\n").toString());
        assertEquals("value", Label.fit("").toString());
        assertEquals("a".repeat(64), Label.fit("a".repeat(1000)).toString());
        assertEquals("caf_", Label.fit("café").toString());
        assertTrue(Seals.sealer().seal(Label.fit("é"), "x").startsWith("~s1a~_~"));
        for (String bad : new String[] {"", "a b", "é", "a".repeat(65), "a~b", "\u0660"}) {
            assertThrows(IllegalArgumentException.class, () -> Label.of(bad), bad);
        }
        assertEquals("A-Z.a_z0", Label.of("A-Z.a_z0").toString());
    }

    /** An application may make a sealer for each request, and close none. */
    @Test
    void sealersThatAreForgottenAreNotRememberedForEver() throws Exception {
        String first = sessionOf(Seals.sealer().seal(EMAIL, "a@b.example"));
        for (int sealers = 0; sealers < 5_000 && KnownSessions.find(first) != null; sealers++) {
            Seals.sealer().seal(EMAIL, "a@b.example");
            if (sealers % 1_000 == 999) {
                System.gc();
            }
        }
        assertNull(KnownSessions.find(first));
    }
}
