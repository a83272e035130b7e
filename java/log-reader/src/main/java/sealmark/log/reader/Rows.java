package sealmark.log.reader;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Where in some logs sessions begin, so that values in an older log are not called missing. */
final class Rows {
    private static final int MOST_SESSIONS = 1 << 16;

    private final Function<String, HeaderFacts> factsOf;
    private final Map<String, Row> rows = new HashMap<>();
    /** The session that the logs begin with, and where one ends first; known after the last line. */
    private String first;
    private Place ended;
    private final Set<String> beside = new HashSet<>();

    /** A line of one of the logs. */
    record Place(int input, long line) implements Comparable<Place> {
        private static final Comparator<Place> ORDER = Comparator.comparingInt(Place::input).thenComparingLong(Place::line);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    /** The places that are kept of a session; null if there are none. */
    private static final class Row {
        /** Its first header, value or closing token. */
        private Place line;
        private Place value;
        private Place closed;
        /** Its last value or closing token. */
        private Place last;
        private long lowest;

        /** Its first value, or else its first sign: a header can be moved, but a writer that is idle has nothing more. */
        private Place began() {
            return value == null ? line : value;
        }
    }

    private record Ending(Place last, String session) {}

    Rows(Function<String, HeaderFacts> factsOf) {
        this.factsOf = factsOf;
    }

    void header(String session, Place at) {
        Row row = row(session);
        row.line = least(row.line, at);
    }

    void closing(String session, Place at) {
        Row row = row(session);
        row.line = least(row.line, at);
        row.closed = least(row.closed, at);
        row.last = most(row.last, at);
    }

    void value(String session, long counter, Place at) {
        Row row = row(session);
        row.line = least(row.line, at);
        row.last = most(row.last, at);
        row.lowest = row.value == null ? counter : Math.min(row.lowest, counter);
        row.value = row.value == null ? at : row.value;
    }

    private Row row(String session) {
        return rows.size() < MOST_SESSIONS ? rows.computeIfAbsent(session, any -> new Row())
                : rows.getOrDefault(session, new Row());
    }

    private static Place least(Place one, Place other) {
        return one == null || other.compareTo(one) < 0 ? other : one;
    }

    private static Place most(Place one, Place other) {
        return one == null || other.compareTo(one) > 0 ? other : one;
    }

    /** Where a session begins; null if nothing of it was met. */
    Place place(String session) {
        Row row = rows.get(session);
        return row == null ? null : row.line;
    }

    /**
     * Finds the session that the logs begin with, after all lines were read: values before it are in an older log. It is the
     * one whose values come first, because anybody can move a header. If the first lines are of a session without values, the
     * older log has those, unless the session before that one is in these logs.
     */
    void settle() {
        Comparator<Map.Entry<String, Row>> byLine = Comparator.comparing((Map.Entry<String, Row> row) -> row.getValue().line)
                .thenComparing(Map.Entry::getKey);
        Comparator<Map.Entry<String, Row>> byValue = Comparator.comparing((Map.Entry<String, Row> row) -> row.getValue().value)
                .thenComparing(Map.Entry::getKey);
        first = rows.entrySet().stream().filter(row -> row.getValue().line != null).min(byLine)
                .filter(row -> row.getValue().value == null && !hasPrevious(row.getKey()))
                .or(() -> rows.entrySet().stream().filter(row -> row.getValue().value != null).min(byValue))
                .map(Map.Entry::getKey).orElse(null);
        ended = rows.values().stream().filter(row -> row.closed != null).map(row -> row.closed).min(Comparator.naturalOrder())
                .orElse(null);
        findBeside();
    }

    /** Finds the sessions whose first value comes after the beginning of another session and before its end. */
    private void findBeside() {
        List<Map.Entry<String, Row>> begun = new ArrayList<>(
                rows.entrySet().stream().filter(row -> row.getValue().line != null && row.getValue().last != null).toList());
        begun.sort(Comparator.comparing(row -> row.getValue().line));
        // The two sessions that end last are kept of those that had begun up to each: one of them is another one.
        List<Ending[]> ends = new ArrayList<>();
        ends.add(new Ending[2]);
        for (Map.Entry<String, Row> row : begun) {
            Ending[] before = ends.get(ends.size() - 1);
            Ending ending = new Ending(row.getValue().last, row.getKey());
            ends.add(isLater(ending, before[0]) ? new Ending[] {ending, before[0]}
                    : new Ending[] {before[0], isLater(ending, before[1]) ? ending : before[1]});
        }
        List<Place> lines = begun.stream().map(row -> row.getValue().line).toList();
        rows.forEach((session, row) -> {
            Place at = row.began();
            if (at != null) {
                for (Ending other : ends.get(before(lines, at))) {
                    if (other != null && !other.session.equals(session) && other.last.compareTo(at) > 0) {
                        beside.add(session);
                    }
                }
            }
        });
    }

    private static boolean isLater(Ending one, Ending other) {
        return other == null || one.last.compareTo(other.last) > 0;
    }

    /** How many of the ascending places come before one. */
    private static int before(List<Place> places, Place at) {
        int low = 0;
        int high = places.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (places.get(middle).compareTo(at) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean hasPrevious(String session) {
        OpenReport.Previous previous = factsOf.apply(session).previous();
        return previous != null && place(previous.session()) != null;
    }

    /**
     * True if another writer may have begun a session in an older log. One that names a session before has to show that two
     * wrote at a time: else whoever drops a session and the end of the one before it would be believed.
     */
    private boolean hadBegun(String session, Row row) {
        boolean isBeforeAnyEnd = ended == null || row.began().compareTo(ended) < 0;
        return isBeforeAnyEnd && (factsOf.apply(session).previous() == null || beside.contains(session));
    }

    /** Counters below this one may be in an older log. */
    long begins(String session) {
        Row row = rows.get(session);
        if (row == null) {
            return 0;
        }
        boolean isFirst = session.equals(first);
        if (row.value == null) {
            return isFirst ? Long.MAX_VALUE : 0;
        }
        HeaderFacts facts = factsOf.apply(session);
        // A session whose values are counted ended before this one began.
        boolean beginsHere = facts.previous() != null && facts.previous().count().isPresent() && hasPrevious(session);
        return facts.isOrdered() && !beginsHere && (isFirst || hadBegun(session, row)) ? row.lowest : 0;
    }

    /** One more than the highest counter of sessions, as the headers of the next ones say. */
    Map<String, Long> counted() {
        Map<String, Long> counted = new HashMap<>();
        for (String session : rows.keySet()) {
            OpenReport.Previous previous = factsOf.apply(session).previous();
            if (previous != null && previous.count().isPresent()) {
                counted.merge(previous.session(), previous.count().getAsLong(), Math::max);
            }
        }
        return counted;
    }
}
