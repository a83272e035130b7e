package sealmark.log.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import sealmark.log.wrap.Tally;
import sealmark.log.wrap.Tally.Run;

/** Hands a session's counters to slots in runs, so that two threads do not share a cache line at each value. */
final class Counters {
    private static final int LONGEST_RUN = 256;

    private final int run;
    private volatile long limit;
    /** Set when it has ended. */
    private volatile long usedInAll = -1;
    private final AtomicLong handed = new AtomicLong();

    /** Counters up to {@code limit}, or a little less where that is no multiple of a run. */
    Counters(long limit) {
        this.run = (int) Math.max(1, Math.min(LONGEST_RUN, Long.highestOneBit(limit / (4 * Slot.COUNT))));
        this.limit = limit - limit % run;
    }

    /** The counters that one slot has; only who has the slot touches them. The collector may put two side by side. */
    static final class Share extends SlotPadding {
        private long next;
        private long end;
    }

    /** The next counter for that slot; negative where there is none left. */
    long next(Share share) {
        if (share.next >= share.end && !fetch(share)) {
            return -1;
        }
        return share.next++;
    }

    private boolean fetch(Share share) {
        long start;
        do {
            start = handed.get();
            if (start >= limit) {
                return false;
            }
        } while (!handed.compareAndSet(start, start + run));
        share.next = start;
        share.end = start + run;
        return true;
    }

    /** How many were used; about, while others are using them. */
    long used(List<Share> shares) {
        return usedInAll >= 0 ? usedInAll : handed.get() - shares.stream().mapToLong(share -> share.end - share.next).sum();
    }

    /** Gives no more counters; the caller has every slot, so nobody uses the shares meanwhile. */
    Tally end(List<Share> shares) {
        limit = 0;
        usedInAll = used(shares);
        List<Run> unused = new ArrayList<>();
        for (Share share : shares) {
            if (share.next != share.end) {
                unused.add(new Run(share.next, share.end));
                share.next = share.end;
            }
        }
        unused.sort(Comparator.comparingLong(Run::start));
        long count = handed.get();
        while (!unused.isEmpty() && unused.get(unused.size() - 1).end() == count) {
            count = unused.remove(unused.size() - 1).start();
        }
        return new Tally(count, unused);
    }
}
