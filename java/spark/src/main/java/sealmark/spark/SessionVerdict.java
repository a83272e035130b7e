package sealmark.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import sealmark.spark.SessionPiece.Counters;
import sealmark.spark.SessionPiece.Place;

/**
 * The verdict on one session over all files: proves nothing of the order between files, because their names tell none.
 *
 * @param session the id
 * @param isHere false if no file has it, and a header names it as the session before its own
 * @param values different ones that were met
 * @param isClosed true if it has a closing token
 * @param counted how many counters it used, by its closing token or the next header; negative if nothing tells
 * @param missing values that are in no file
 * @param earlier values that are in no file, but may be in an older one
 * @param repeated values that were met twice
 * @param findings the faults, the first ones
 * @param more faults that are not among the findings
 */
record SessionVerdict(String session, boolean isHere, long values, boolean isClosed, long counted, long missing, long earlier,
        long repeated, ArrayList<Finding> findings, long more) implements Serializable {

    static SessionVerdict of(String session, Iterable<VerifyTask.Part> parts) {
        return new Judge(session, parts).verdict();
    }

    SessionVerdict withoutFindings() {
        return new SessionVerdict(session, isHere, values, isClosed, counted, missing, earlier, repeated,
                new ArrayList<>(), more);
    }

    /** Puts the pieces together, in the order of their files' names. */
    private static final class Judge {
        private final String session;
        private final List<SessionPiece> pieces = new ArrayList<>();
        private final List<SessionPiece> followers = new ArrayList<>();
        private final TreeMap<Long, Met> met = new TreeMap<>();
        private final ArrayList<Finding> findings = new ArrayList<>();
        private long more;
        private long missing;
        private long earlier;
        private long repeated;

        /** Counters that follow one another, and the file that has the first. */
        private record Met(long end, String file, Place first) {}

        Judge(String session, Iterable<VerifyTask.Part> parts) {
            this.session = session;
            parts.forEach(part -> (part.piece().isNamedOnly ? followers : pieces).add(part.piece()));
            pieces.sort(Comparator.comparing(piece -> piece.file));
            followers.sort(Comparator.comparing(piece -> piece.file));
        }

        SessionVerdict verdict() {
            if (pieces.isEmpty()) {
                missingSession();
                return result(-1, false);
            }
            for (SessionPiece piece : pieces) {
                repeated += piece.repeated;
                piece.met.forEach((start, run) -> meet(piece, start, run));
            }
            SessionPiece closing = pieces.stream().max(Comparator.comparingLong(piece -> piece.closed)).orElseThrow();
            boolean isClosed = closing.closed >= 0;
            long named = followers.stream().mapToLong(piece -> piece.counted).max().orElse(-1);
            long counted = isClosed ? closing.closed : named;
            boolean isOrdered = pieces.stream().anyMatch(piece -> piece.isOrdered);
            List<long[]> gaps = counted >= 0 || isOrdered ? gaps(counted, closing.unused) : List.of();
            gaps.forEach(gap -> gap(gap, closing, isOrdered));
            if (isClosed) {
                beyond(closing);
            }
            for (SessionPiece piece : pieces) {
                piece.jumps.forEach(jump -> jump(piece, jump, gaps));
            }
            return result(counted, isClosed);
        }

        private SessionVerdict result(long counted, boolean isClosed) {
            long values = met.entrySet().stream().mapToLong(run -> run.getValue().end - run.getKey()).sum();
            return new SessionVerdict(session, !pieces.isEmpty(), values, isClosed, counted, missing, earlier, repeated,
                    findings, more);
        }

        /** A session that a header names as the one before, and that no file has, unless it may be in an older file. */
        private void missingSession() {
            followers.stream().filter(piece -> piece.isBehindAnother).findFirst().ifPresent(piece ->
                    add("missing session", piece.file, piece.began, null, "the previous session " + session
                            + (piece.counted < 0 ? "" : " with " + Counts.many(piece.counted, "value")) + " is missing"));
        }

        private void meet(SessionPiece piece, long from, Counters run) {
            long start = from;
            while (start < run.end()) {
                Map.Entry<Long, Met> below = met.floorEntry(start);
                if (below != null && below.getValue().end > start) {
                    long end = Math.min(below.getValue().end, run.end());
                    repeat(piece, start, end, run.first());
                    start = end;
                } else {
                    Long next = met.higherKey(start);
                    long end = next == null ? run.end() : Math.min(next, run.end());
                    join(start, end, piece, run.first());
                    start = end;
                }
            }
        }

        private void repeat(SessionPiece piece, long start, long end, Place first) {
            repeated += end - start;
            add("repeated", piece.file, first, start, values(start, end) + (end - start == 1 ? " is a repeat" : " are repeats")
                    + ": also in \"" + met.floorEntry(start).getValue().file + "\"");
        }

        private void join(long start, long end, SessionPiece piece, Place first) {
            Map.Entry<Long, Met> below = met.floorEntry(start);
            Met behind = met.get(end);
            boolean isJoined = below != null && below.getValue().end == start;
            if (behind != null) {
                met.remove(end);
            }
            long joinedEnd = behind == null ? end : behind.end;
            if (isJoined) {
                met.put(below.getKey(), new Met(joinedEnd, below.getValue().file, below.getValue().first));
            } else {
                met.put(start, new Met(joinedEnd, piece.file, first));
            }
        }

        /** The runs below {@code counted}, or else below the highest counter, that were neither met nor unused. */
        private List<long[]> gaps(long counted, List<long[]> unused) {
            TreeMap<Long, Long> there = new TreeMap<>();
            met.forEach((start, run) -> there.put(start, run.end));
            unused.forEach(run -> there.merge(run[0], run[1], Math::max));
            long end = counted >= 0 ? counted : met.isEmpty() ? 0 : met.lastEntry().getValue().end;
            there.put(end, end);
            List<long[]> gaps = new ArrayList<>();
            long expected = 0;
            for (Map.Entry<Long, Long> run : there.entrySet()) {
                long until = Math.min(run.getKey(), end);
                if (expected < until) {
                    gaps.add(new long[] {expected, until});
                }
                expected = Math.max(expected, run.getValue());
            }
            return gaps;
        }

        private void gap(long[] gap, SessionPiece closing, boolean isOrdered) {
            Met behind = met.get(gap[1]);
            // Values from 0 on may be in an older file, if nothing is before the first that is there.
            boolean isOlder = gap[0] == 0 && isOrdered && behind != null
                    && pieces.stream().noneMatch(piece -> piece.isBehindAnother);
            if (isOlder) {
                earlier += gap[1] - gap[0];
                return;
            }
            missing += gap[1] - gap[0];
            String text = values(gap[0], gap[1]) + " missing before ";
            if (behind != null) {
                add("missing", behind.file, behind.first, gap[1], text + "value " + gap[1]);
            } else if (closing.closed >= 0) {
                add("missing", closing.file, closing.closedAt, gap[1], text + "the end of the session");
            } else {
                SessionPiece next = followers.get(0);
                add("missing", next.file, next.began, gap[1], text + "the next session");
            }
        }

        private void beyond(SessionPiece closing) {
            met.forEach((start, run) -> {
                long from = Math.max(start, closing.closed);
                if (from < run.end) {
                    add("not counted", run.file, run.first, from, values(from, run.end)
                            + " more than the closing token counts");
                }
            });
        }

        /** Values that are nowhere explain why the next one does not follow. */
        private void jump(SessionPiece piece, SessionPiece.Jump jump, List<long[]> gaps) {
            boolean isGap = gaps.stream().anyMatch(gap -> gap[0] <= jump.expected() && jump.found() <= gap[1]);
            if (jump.expected() > jump.found() || !isGap) {
                add("out of order", piece.file, jump.at(), jump.found(),
                        "value " + jump.found() + " is where value " + jump.expected() + " belongs");
            }
        }

        private void add(String kind, String file, Place at, Long counter, String text) {
            if (findings.size() < FileLedger.MOST_FINDINGS) {
                findings.add(new Finding(kind, file, at.offset(), at.line(), session, counter,
                        text + " (session " + session + ")"));
            } else {
                more++;
            }
        }

        private static String values(long start, long end) {
            return end - start == 1 ? "value " + start : "values " + start + "-" + (end - 1);
        }
    }
}
