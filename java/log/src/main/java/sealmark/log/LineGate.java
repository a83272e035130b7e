package sealmark.log;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Keeps a file from being closed while a line is on its way to it. Adapters of logging frameworks use this, because values are
 * sealed before their line is written, and a file can be verified alone only if it has all values of its sessions.
 *
 * <p>Each line increments and decrements a shared counter. Any number of threads may be inside, virtual ones too. A file
 * is closed after a second at the latest, because a thread that makes a line may wait for a lock of the thread that closes the
 * file, or be that thread. A line that comes later is in the next file, with its header.
 *
 * <pre>{@code
 * gate.enter(false);
 * try {
 *     write(format(event));
 * } finally {
 *     gate.leave();
 * }
 * }</pre>
 */
public final class LineGate {
    private static final long CLOSING_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long ENTERING_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final AtomicInteger inside = new AtomicInteger();
    /** No monitor: a virtual thread that waits would keep its carrier. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Set before the lines inside are counted, and read after a line was counted: one sees the other. */
    private volatile Thread closer;

    /** A gate that is open. */
    public LineGate() {}

    /**
     * A line begins; waits while another thread closes the file. Call {@link #leave} when it is through.
     *
     * @param isNested true if this thread may be inside already: then it does not wait, because the other thread waits for it
     */
    public void enter(boolean isNested) {
        inside.incrementAndGet();
        if (closer == null || isNested || closer == Thread.currentThread()) {
            return;
        }
        leave();
        lock.lock();
        try {
            await(() -> closer == null, ENTERING_NANOS);
            // Counted before the next closer can look.
            inside.incrementAndGet();
        } finally {
            lock.unlock();
        }
    }

    /** Tells that the line was written, or given up. */
    public void leave() {
        inside.decrementAndGet();
        if (closer != null) {
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * The file is to be closed: waits until the lines inside are through, and lets no other in before {@link #open}.
     *
     * @param own how many of those inside are the calling thread's
     * @return true if this call has closed the gate; false if this thread or another one had closed it before
     */
    public boolean close(int own) {
        Thread me = Thread.currentThread();
        lock.lock();
        try {
            await(() -> closer == null || closer == me, CLOSING_NANOS);
            boolean isFree = closer == null;
            closer = isFree ? me : closer;
            await(() -> inside.get() <= own, CLOSING_NANOS);
            return isFree;
        } finally {
            lock.unlock();
        }
    }

    /** Lets lines in again, if this thread has closed the gate. */
    public void open() {
        // Nobody else makes this thread the closer.
        if (closer != Thread.currentThread()) {
            return;
        }
        lock.lock();
        try {
            closer = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** An interrupt is for those who come after. */
    private void await(BooleanSupplier isSo, long nanos) {
        long until = System.nanoTime() + nanos;
        boolean wasInterrupted = false;
        while (!isSo.getAsBoolean() && until - System.nanoTime() > 0) {
            try {
                changed.awaitNanos(until - System.nanoTime());
            } catch (InterruptedException interrupt) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
