package sealmark.lab.app;

import com.google.gson.JsonObject;
import java.util.Arrays;

/** How long requests took, each and all of them together, and what the process spent meanwhile. */
final class Span {
    private final long[] each;
    private final Meter meter = new Meter();

    Span(int count) {
        each = new long[count];
    }

    void start(Clients clients) {
        meter.start(clients.ids());
    }

    void stop(Clients clients) {
        meter.stop(clients.ids());
    }

    /** Each request is one thread's own. */
    void took(int at, long nanoseconds) {
        each[at] = nanoseconds;
    }

    void report(JsonObject answer) {
        long[] sorted = each.clone();
        Arrays.sort(sorted);
        answer.addProperty("count", each.length);
        answer.addProperty("median_ns", nearestRank(sorted, 50));
        answer.addProperty("p99_ns", nearestRank(sorted, 99));
        meter.report(answer);
    }

    /** The smallest time that so many percent of them do not exceed. */
    static long nearestRank(long[] sorted, int percent) {
        return sorted[(sorted.length * percent + 99) / 100 - 1];
    }
}
