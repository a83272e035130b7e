package sealmark.log.wrap;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The content of a closing token: all counters below {@code count} were used but for the runs, which ascend. */
public record Tally(long count, List<Run> unused) {
    private static final int RUN = 8;

    /** Counters from {@code start} to {@code end - 1}. */
    public record Run(long start, long end) {}

    /** Null if the runs are none that a writer may write (spec/record.md, "Closing"). */
    public static Tally read(long unsignedCount, ByteBuffer runs) {
        // No session has 2^63 values; who says so gets no smaller number for it.
        long count = unsignedCount < 0 ? Long.MAX_VALUE : unsignedCount;
        if (runs.remaining() % RUN != 0) {
            return null;
        }
        List<Run> unused = new ArrayList<>();
        long behind = -1;
        while (runs.hasRemaining()) {
            long first = runs.getInt() & 0xffff_ffffL;
            long end = first + (runs.getInt() & 0xffff_ffffL);
            if (first <= behind || end == first || end >= count) {
                return null;
            }
            unused.add(new Run(first, end));
            behind = end;
        }
        return new Tally(count, unused);
    }

    /** The runs, as {@link #read} reads them. */
    public byte[] runs() {
        ByteBuffer runs = ByteBuffer.allocate(RUN * unused.size());
        unused.forEach(run -> runs.putInt((int) run.start()).putInt((int) (run.end() - run.start())));
        return runs.array();
    }

    /** How many values the session sealed. */
    public long values() {
        return count - unused.stream().mapToLong(run -> run.end() - run.start()).sum();
    }
}
