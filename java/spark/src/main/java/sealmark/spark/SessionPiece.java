package sealmark.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import sealmark.log.reader.OpenReport.Run;

/** The values of one session in one file, as runs: few numbers, however many values. */
final class SessionPiece implements Serializable {
    private static final long serialVersionUID = 1;

    /** Where something is. */
    record Place(long offset, long line) implements Serializable {}

    /** Counters that follow one another: the one after the last, and where the first is. */
    record Counters(long end, Place first) implements Serializable {}

    /** A value whose counter does not follow the one before it in the file. */
    record Jump(long expected, long found, Place at) implements Serializable {}

    final String file;
    /** Where the file first names the session. */
    final Place began;
    /** True if the file names another session before it. */
    final boolean isBehindAnother;
    /** The runs that were met, by their starts; they never touch. */
    final TreeMap<Long, Counters> met = new TreeMap<>();
    final List<Jump> jumps = new ArrayList<>();
    boolean isOrdered;
    /** The count of the closing token with the highest one; negative if there is none. */
    long closed = -1;
    Place closedAt;
    final List<long[]> unused = new ArrayList<>();
    /** The count that another session's header has of this one; negative if there is none. */
    long counted = -1;
    /** True if the piece only tells that another session follows this one. */
    boolean isNamedOnly;
    long repeated;
    private long next = -1;

    SessionPiece(String file, Place began, boolean isBehindAnother) {
        this.file = file;
        this.began = began;
        this.isBehindAnother = isBehindAnother;
    }

    /** True if a counter does not follow the last one that was new, although it should. */
    boolean isJump(long counter) {
        return isOrdered && next >= 0 && counter != next;
    }

    void jump(long counter, Place at) {
        jumps.add(new Jump(next, counter, at));
    }

    boolean isMet(long counter) {
        Map.Entry<Long, Counters> below = met.floorEntry(counter);
        return below != null && below.getValue().end() > counter;
    }

    /** Adds a value; false if its counter was met before. */
    boolean meet(long counter, Place at) {
        Map.Entry<Long, Counters> below = met.floorEntry(counter);
        if (below != null && below.getValue().end() > counter) {
            repeated++;
            return false;
        }
        next = counter + 1;
        Counters behind = met.remove(counter + 1);
        boolean isJoined = below != null && below.getValue().end() == counter;
        met.put(isJoined ? below.getKey() : counter,
                new Counters(behind == null ? counter + 1 : behind.end(), isJoined ? below.getValue().first() : at));
        return true;
    }

    /** True if a counter can be added without another run. */
    boolean isNear(long counter) {
        Map.Entry<Long, Counters> below = met.floorEntry(counter);
        return (below != null && below.getValue().end() >= counter) || met.containsKey(counter + 1);
    }

    void close(long count, List<Run> runs, Place at) {
        if (count > closed) {
            closed = count;
            closedAt = at;
            unused.clear();
            runs.forEach(run -> unused.add(new long[] {run.start(), run.end()}));
        }
    }
}
