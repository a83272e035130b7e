package sealmark.log.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A place that one thread at a time seals at. Claimed by one compare-and-set, starting from a hash of the thread: there
 * may be thousands of virtual threads, so no place belongs to one of them.
 */
abstract class Slot extends SlotPadding {
    /** Threads that seal at once; bounds what a closing token must name. */
    static final int COUNT = 64;

    private static final VarHandle TAKEN;
    private static final long PATIENCE_NANOS = 10_000_000_000L;
    private static final int SPREAD = 0x9E3779B9;
    private static final int SHIFT = Integer.numberOfLeadingZeros(COUNT - 1);

    static {
        try {
            TAKEN = MethodHandles.lookup().findVarHandle(Slot.class, "taken", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** Set to 0 by who has it, where {@link #giveBack} was not reached: in a {@code finally} and without a call, as a
     * thread may be out of stack just then. */
    volatile int taken;

    /** Nobody waits for it a second time, unless it comes back. */
    private volatile boolean isLost;

    /** Gives the slot back without waiting. The thread that takes it next sees all that was done before. */
    final void giveBack() {
        TAKEN.setRelease(this, 0);
    }

    /** A slot that is the calling thread's until it gives it back; nobody may block while having one. */
    static <D extends Slot> D take(D[] slots) {
        int first = ((int) Thread.currentThread().getId() * SPREAD) >>> SHIFT;
        for (int tried = 0;; tried++) {
            D slot = slots[(first + tried) % COUNT];
            if (slot.tryTake()) {
                return slot;
            }
            if (tried % COUNT == COUNT - 1) {
                letGo();
            }
        }
    }

    /** True if nobody has this slot, or who has it gives it back within so many nanoseconds. */
    final boolean isFreeWithin(long nanos) {
        boolean isFree = tryWithin(nanos);
        if (isFree) {
            giveBack();
        }
        return isFree;
    }

    /** This very slot; false if whoever has it does not give it back for ten seconds, and never will. */
    final boolean takeSoon() {
        return takeWithin(PATIENCE_NANOS);
    }

    final boolean takeWithin(long nanos) {
        boolean isTaken = tryWithin(nanos);
        isLost = !isTaken;
        return isTaken;
    }

    private boolean tryWithin(long nanos) {
        long until = System.nanoTime() + nanos;
        while (!tryTake()) {
            if (isLost || System.nanoTime() - until > 0) {
                return false;
            }
            letGo();
        }
        return true;
    }

    /** A thread keeps a slot for well under a microsecond, unless it loses its processor. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static void letGo() {
        Thread.yield();
    }

    final boolean tryTake() {
        return (int) TAKEN.getOpaque(this) == 0 && TAKEN.compareAndSet(this, 0, 1);
    }
}

/** Keeps what threads write at two slots in cache lines apart; processors fetch them in pairs. */
abstract class SlotPadding {
    long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;
}
