package sealmark.log.reader;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import sealmark.log.reader.OpenReport.SessionReport;

/** Adds up the findings of opening, within bounds. */
final class Ledger extends TokenCounts {
    /** Sessions that are told apart; whoever has a public key can make sessions up. */
    private static final int MOST_SESSIONS = 1 << 16;
    /** Runs of counters that are kept for all of them; a log in its own order has few. */
    private static final int MOST_RUNS = 1 << 20;

    long longLines;

    private final Function<String, HeaderFacts> factsOf;
    private final Map<String, SessionLedger> sessions = new TreeMap<>();
    private long opened;
    private long untracked;
    private int runs;

    Ledger(Function<String, HeaderFacts> factsOf) {
        this.factsOf = factsOf;
    }

    /** Adds the findings of the next lines. */
    void add(Findings found) {
        add(found, 1);
        found.opened.forEach(this::opened);
        for (Findings.Closed closed : found.closed) {
            SessionLedger ledger = of(closed.session());
            if (ledger != null) {
                ledger.close(closed.tally());
            }
        }
    }

    private void opened(Findings.Opened values) {
        opened += values.end() - values.start();
        SessionLedger ledger = of(values.session());
        if (ledger == null) {
            untracked += values.end() - values.start();
            return;
        }
        runs -= ledger.runs();
        long start = values.start();
        while (start < values.end()) {
            // Once there are as many runs as are kept, only counters that make no new run count.
            boolean isFull = runs + ledger.runs() >= MOST_RUNS;
            long end = isFull ? start + 1 : values.end();
            if (isFull && !ledger.isNear(start)) {
                untracked++;
            } else {
                ledger.meet(start, end);
            }
            start = end;
        }
        runs += ledger.runs();
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
