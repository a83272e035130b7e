package sealmark.log.reader;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import sealmark.log.wrap.Tally;

/** The tokens that one thread met in some lines; a {@link Ledger} adds them up in the order of the log. */
final class Findings extends TokenCounts {
    /** There is text that may be a token or a header. */
    boolean isSealed;
    /** Labels of the tokens that were to be opened. */
    final Set<String> labels = new HashSet<>();
    final List<Opened> opened = new ArrayList<>();
    final List<Closed> closed = new ArrayList<>();

    /** Values of a session that follow one another. */
    record Opened(String session, long start, long end) {}

    /** A closing token. */
    record Closed(String session, Tally tally) {}

    /** Adds the counts and labels of others. */
    void add(Findings other) {
        add(other, 1);
        labels.addAll(other.labels);
    }

    /** The counts without those of others. */
    Findings without(Findings others) {
        Findings rest = new Findings();
        rest.add(this, 1);
        rest.add(others, -1);
        return rest;
    }

    void opened(String session, long counter) {
        int last = opened.size() - 1;
        if (last >= 0 && opened.get(last).end == counter && opened.get(last).session.equals(session)) {
            opened.set(last, new Opened(session, opened.get(last).start, counter + 1));
        } else {
            opened.add(new Opened(session, counter, counter + 1));
        }
    }
}
