package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.wrap.Base64Url;
import sealmark.log.wrap.HeaderParts;
import sealmark.log.wrap.Readers;
import sealmark.log.wrap.SessionSecret;
import sealmark.log.wrap.Tally;

/** The memory of a reader is bounded, however many sessions and counters a log names. */
class BoundsTest {
    private static final int SESSIONS = 1 << 16;
    private static final int RUNS = 1 << 20;

    private final PreSharedKey key = PreSharedKey.generate();
    private final PreSharedKey another = PreSharedKey.generate();
    private final Sessions sessions = new Sessions(new LogKeys(List.of(), List.of(key)));
    private final Ledger ledger = new Ledger(session -> HeaderFacts.NONE);

    @Test
    void ofTooManyOpenSessionsTheOldestIsForgotten() {
        List<String> ids = new ArrayList<>();
        for (int session = 0; session <= Sessions.MOST_OPEN; session++) {
            ids.add(learn(SessionSecret.generate(), key));
        }
        assertFalse(sessions.key(ids.get(0)).isPresent());
        assertEquals(SESSIONS, ids.stream().filter(id -> sessions.key(id).isPresent()).count());
    }

    @Test
    void ofTooManyClosedSessionsTheOldestIsForgotten() {
        List<String> ids = new ArrayList<>();
        for (int session = 0; session <= Sessions.MOST_CLOSED; session++) {
            ids.add(learn(SessionSecret.generate(), another));
        }
        assertFalse(sessions.isClosed(ids.get(0)));
        assertEquals(1024, ids.stream().filter(sessions::isClosed).count());
        assertTrue(ids.stream().noneMatch(id -> sessions.key(id).isPresent()));
    }

    @Test
    void aClosedSessionOpensWithItsNextHeader() {
        SessionSecret secret = SessionSecret.generate();
        String id = learn(secret, another);
        assertTrue(sessions.isClosed(id) && sessions.key(id).isEmpty());
        learn(secret, key);
        assertTrue(!sessions.isClosed(id) && sessions.key(id).isPresent());
        learn(secret, another);
        assertTrue(!sessions.isClosed(id) && sessions.key(id).isPresent());
    }

    @Test
    void sessionsBeyondTheBoundAreOpenedAndNotTracked() {
        for (int session = 0; session < SESSIONS; session++) {
            meet("session " + session, 0);
        }
        meet("one more", 0);
        Findings closed = new Findings();
        closed.closed.add(new Findings.Closed("one more", new Tally(1, List.of())));
        ledger.add(closed);
        meet("session 0", 1);
        OpenReport report = ledger.report();
        assertEquals(List.of(SESSIONS + 2L, 1L), List.of(report.opened(), report.untracked()));
        assertEquals(SESSIONS, report.sessions().size());
        assertEquals(2, report.sessions().get("session 0").values());
        assertFalse(report.isWhole());
    }

    @Test
    void countersInTooMuchDisorderAreOpenedAndNotTracked() {
        for (long run = 0; run < RUNS; run++) {
            meet(run % 2 == 0 ? "a" : "b", 3 * run);
        }
        meet("a", 3L * RUNS);
        meet("a", 1);
        OpenReport report = ledger.report();
        assertEquals(List.of(RUNS + 2L, 1L), List.of(report.opened(), report.untracked()));
        assertEquals(RUNS + 1, report.sessions().get("a").values() + report.sessions().get("b").values());
    }

    private void meet(String session, long counter) {
        Findings found = new Findings();
        found.opened(session, counter);
        ledger.add(found);
    }

    private String learn(SessionSecret secret, PreSharedKey reader) {
        byte[] header = secret.header(Readers.of(reader), null);
        String name = secret.idText() + "~" + HeaderParts.digest(header);
        byte[] part = ("~s1h~" + name + "~1.1~" + Base64Url.encode(header) + "~").getBytes(ISO_8859_1);
        sessions.learn((Found.Part) new Grammar(part, 0, part.length).next());
        return secret.idText();
    }
}
