package sealmark.log.reader;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import sealmark.log.reader.OpenReport.SessionReport;
import sealmark.log.wrap.Tally;

/** Counts what opening met, within bounds. */
final class Ledger {
    /** Sessions that are told apart; whoever has a public key can make sessions up. */
    private static final int MOST_SESSIONS = 1 << 16;
    /** Runs of counters that are kept for all of them; a log in its own order has few. */
    private static final int MOST_RUNS = 1 << 20;

    long orphans;
    long noKey;
    long tampered;
    long notText;
    long cutOff;
    long longLines;

    private final Function<String, HeaderFacts> factsOf;
    private final Map<String, SessionLedger> sessions = new TreeMap<>();
    private long opened;
    private long untracked;
    private int runs;

    Ledger(Function<String, HeaderFacts> factsOf) {
        this.factsOf = factsOf;
    }

    void opened(String session, long counter) {
        opened++;
        SessionLedger ledger = of(session);
        if (ledger == null || (runs == MOST_RUNS && !ledger.isNear(counter))) {
            untracked++;
            return;
        }
        runs -= ledger.runs();
        ledger.meet(counter);
        runs += ledger.runs();
    }

    void closed(String session, Tally tally) {
        SessionLedger ledger = of(session);
        if (ledger != null) {
            ledger.close(tally);
        }
    }

    OpenReport report() {
        Map<String, SessionReport> reports = new TreeMap<>();
        sessions.forEach((session, ledger) -> reports.put(session, ledger.report()));
        return new OpenReport(opened, orphans, noKey, tampered, notText, cutOff, longLines, untracked,
                Collections.unmodifiableMap(reports));
    }

    private SessionLedger of(String session) {
        SessionLedger known = sessions.get(session);
        if (known == null && sessions.size() < MOST_SESSIONS) {
            known = new SessionLedger(factsOf.apply(session));
            sessions.put(session, known);
        }
        return known;
    }
}
