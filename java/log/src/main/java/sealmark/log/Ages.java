package sealmark.log;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import sealmark.log.engine.Session;

/** Ends sessions when they are old enough, so that sealing need not look at the clock. */
final class Ages {
    private static final ScheduledThreadPoolExecutor TIMER = timer();

    private Ages() {}

    /** Keeps neither of them alive; to be cancelled where the session ends before. */
    static Future<?> endAfter(Duration age, CurrentSession sessions, Session session) {
        WeakReference<CurrentSession> those = new WeakReference<>(sessions);
        WeakReference<Session> that = new WeakReference<>(session);
        return TIMER.schedule(() -> end(those.get(), that.get()), nanos(age), TimeUnit.NANOSECONDS);
    }

    /** In a thread that holds nothing of the caller's, and has all of its stack. */
    static void soon(Runnable task) {
        TIMER.execute(task);
    }

    private static void end(CurrentSession sessions, Session session) {
        if (sessions != null && session != null) {
            sessions.leave(session);
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
