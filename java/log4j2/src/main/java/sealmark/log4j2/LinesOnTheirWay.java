package sealmark.log4j2;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The records of a stream that are being laid out, or wait to be written.
 *
 * <p>Records are laid out under no lock, as that calls the application. A file stands alone only if it has all values of
 * its sessions: whoever closes it waits for those who lay out, and writes what they have made, as they cannot while he
 * holds the manager's lock.
 */
final class LinesOnTheirWay {
    /** Whoever lays out may wait for a lock that the one holds who closes. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** As many records at once find a buffer. */
    private static final int MOST_FREE = 16;

    /** No monitor: a virtual thread that waits would keep its carrier. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** How many records each thread is laying out: several, where what is logged logs. */
    private final Map<Thread, Integer> layingOut = new HashMap<>();
    private final Set<Line> laidOut = new LinkedHashSet<>();
    private final Deque<LineBuffer> free = new ArrayDeque<>();
    private Thread closing;

    /** A record. */
    static final class Line {
        final LineBuffer buffer;
        /** Why it was not written; guarded by the manager's lock. */
        RuntimeException error;

        private Line(LineBuffer buffer) {
            this.buffer = buffer;
        }
    }

    /** Begins to lay out a record, not while the file is being closed. */
    Line begin() {
        Thread me = Thread.currentThread();
        lock.lock();
        try {
            await(() -> closing == null || closing == me || layingOut.containsKey(me));
            layingOut.merge(me, 1, Integer::sum);
            LineBuffer buffer = free.isEmpty() ? new LineBuffer() : free.pop();
            return new Line(buffer);
        } finally {
            lock.unlock();
        }
    }

    /** The record was laid out, or could not be: then it is not written. */
    void end(Line line, boolean isWhole) {
        lock.lock();
        try {
            layingOut.computeIfPresent(Thread.currentThread(), (me, count) -> count == 1 ? null : count - 1);
            if (isWhole) {
                laidOut.add(line);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** True once, for the one who has to write it. */
    boolean take(Line line) {
        lock.lock();
        try {
            return laidOut.remove(line);
        } finally {
            lock.unlock();
        }
    }

    /** Its buffer is needed no more. */
    void free(Line line) {
        line.buffer.clear();
        lock.lock();
        try {
            if (free.size() < MOST_FREE) {
                free.push(line.buffer);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Those to write before the file is closed, but for what takes too long. None begins from now on until {@link
     * #closed}.
     */
    List<Line> takeAll() {
        Thread me = Thread.currentThread();
        lock.lock();
        try {
            closing = me;
            await(() -> layingOut.isEmpty() || (layingOut.size() == 1 && layingOut.containsKey(me)));
            List<Line> all = new ArrayList<>(laidOut);
            laidOut.clear();
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** The sessions of the file have ended. */
    void closed() {
        lock.lock();
        try {
            closing = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void await(BooleanSupplier isSo) {
        long left = PATIENCE_NANOS;
        boolean interrupted = false;
        while (left > 0 && !isSo.getAsBoolean()) {
            try {
                left = changed.awaitNanos(left);
            } catch (InterruptedException error) {
                interrupted = true;
                left /= 2;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
