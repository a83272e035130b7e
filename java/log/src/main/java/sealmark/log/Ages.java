package sealmark.log;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Looks at sessions when they are old enough, so that sealing need not look at the clock. */
final class Ages {
    private static final ScheduledThreadPoolExecutor TIMER = timer();

    private Ages() {}

    /** Does not keep the sessions alive, if the step does not; to be cancelled where it is no longer wanted. */
    static Future<?> after(Duration time, CurrentSession sessions, Consumer<CurrentSession> step) {
        WeakReference<CurrentSession> those = new WeakReference<>(sessions);
        return TIMER.schedule(() -> {
            CurrentSession still = those.get();
            if (still != null) {
                step.accept(still);
            }
        }, nanos(time), TimeUnit.NANOSECONDS);
    }

    /** In a thread that holds nothing of the caller's, and has all of its stack. */
    static void soon(Runnable task) {
        TIMER.execute(task);
    }

    /**
     * Waits for what {@link #soon} was given, as the process may end now. Not for ever, because the tasks may wait for what
     * the caller holds.
     */
    static void awaitSoon() {
        Semaphore done = new Semaphore(0);
        soon(done::release);
        try {
            done.tryAcquire(1, TimeUnit.SECONDS);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }

    private static long nanos(Duration age) {
        return age.compareTo(Duration.ofDays(36_500)) > 0 ? Long.MAX_VALUE / 2 : age.toNanos();
    }

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(null, task, "sealmark-ages", 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(null);
            return thread;
        });
        // No thread while there is nothing to wait for: an application that is undeployed is not kept.
        timer.setKeepAliveTime(1, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }
}
