package sealmark.log.reader;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import sealmark.log.reader.OpenReport.Run;
import sealmark.log.reader.OpenReport.SessionReport;
import sealmark.log.wrap.Tally;

/** Which values of a session were met. */
final class SessionLedger {
    /** Counters that were met: starts and the ends behind them, never touching. */
    private final TreeMap<Long, Long> met = new TreeMap<>();
    private final HeaderFacts facts;
    private long repeated;
    private Tally closing;

    SessionLedger(HeaderFacts facts) {
        this.facts = facts;
    }

    /** True if a counter is next to one that was met, or was met itself: it takes no memory then. */
    boolean isNear(long counter) {
        Map.Entry<Long, Long> below = met.floorEntry(counter);
        return (below != null && below.getValue() >= counter) || met.containsKey(counter + 1);
    }

    int runs() {
        return met.size();
    }

    /** Counters from {@code start} to {@code end - 1}. */
    void meet(long start, long end) {
        Map.Entry<Long, Long> last = met.lastEntry();
        if (last == null || last.getValue() < start) {
            met.put(start, end);
        } else if (last.getValue() == start) {
            met.put(last.getKey(), end);
        } else {
            for (long counter = start; counter < end; counter++) {
                meet(counter);
            }
        }
    }

    /** True if a counter was met. */
    boolean isMet(long counter) {
        Map.Entry<Long, Long> below = met.floorEntry(counter);
        return below != null && below.getValue() > counter;
    }

    void meet(long counter) {
        Map.Entry<Long, Long> below = met.floorEntry(counter);
        if (isMet(counter)) {
            repeated++;
            return;
        }
        Long behind = met.remove(counter + 1);
        long start = below != null && below.getValue() == counter ? below.getKey() : counter;
        met.put(start, behind == null ? counter + 1 : behind);
    }

    /** If there are several closing tokens, the one with the highest count holds. */
    void close(Tally tally) {
        if (closing == null || closing.count() < tally.count()) {
            closing = tally;
        }
    }

    SessionReport report() {
        return new SessionReport(values(), repeated, sealed(), List.copyOf(missing(0)), beyond(), facts.isOrdered(),
                Optional.ofNullable(facts.previous()), Optional.ofNullable(facts.began()));
    }

    /** Values that were met, each counted once. */
    long values() {
        return met.entrySet().stream().mapToLong(run -> run.getValue() - run.getKey()).sum();
    }

    long repeated() {
        return repeated;
    }

    /** How many values the session sealed; empty without a closing token. */
    OptionalLong sealed() {
        return closing == null ? OptionalLong.empty() : OptionalLong.of(closing.values());
    }

    /**
     * The runs that are missing among all that the closing token counts, or else below the highest counter that was met.
     *
     * @param count one more than the highest counter, as another source says, such as the header of the next session; 0 if none
     *     says
     */
    List<Run> missing(long count) {
        long end = Math.max(count, closing != null ? closing.count() : met.isEmpty() ? 0 : met.lastEntry().getValue());
        List<Run> there = new ArrayList<>();
        met.forEach((start, behind) -> there.add(new Run(start, behind)));
        if (closing != null) {
            closing.unused().forEach(run -> there.add(new Run(run.start(), run.end())));
        }
        there.sort(Comparator.comparingLong(Run::start));
        there.add(new Run(end, end));
        List<Run> gaps = new ArrayList<>();
        long expected = 0;
        for (Run run : there) {
            long until = Math.min(run.start(), end);
            if (expected < until) {
                gaps.add(new Run(expected, until));
            }
            expected = Math.max(expected, run.end());
        }
        return gaps;
    }

    /** Values that the closing token does not count. */
    long beyond() {
        if (closing == null) {
            return 0;
        }
        long unused = closing.unused().stream().mapToLong(run -> metIn(run.start(), run.end())).sum();
        return unused + metIn(closing.count(), Long.MAX_VALUE);
    }

    private long metIn(long from, long to) {
        Long first = met.floorKey(from);
        long sum = 0;
        for (Map.Entry<Long, Long> run : met.subMap(first == null ? from : first, Math.max(from, to)).entrySet()) {
            sum += Math.max(0, Math.min(run.getValue(), to) - Math.max(run.getKey(), from));
        }
        return sum;
    }
}
