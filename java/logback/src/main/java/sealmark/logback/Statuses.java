package sealmark.logback;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.status.OnErrorConsoleStatusListener;
import ch.qos.logback.core.status.StatusManager;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Tells the operator that a value is in the clear, or that a log cannot be sealed: once for each configuration, among Logback's
 * statuses and on standard error.
 *
 * <p>Nobody may see a status: a listener such as {@code NopStatusListener} drops it, and Logback itself prints statuses on
 * standard output, amid a log perhaps, and only while it reads a configuration.
 */
final class Statuses {
    private static final long BETWEEN_ERRORS_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long NEVER = Long.MIN_VALUE;

    /** A reset of the context, which a new configuration begins with, takes this along. */
    private final Map<String, Boolean> told = new ConcurrentHashMap<>();
    private final AtomicLong repeated = new AtomicLong(NEVER);

    private Statuses() {}

    static void warn(ContextAware owner, String message) {
        if (isNew(owner, message)) {
            owner.addWarn(message);
            print(owner.getContext(), "WARN", message);
        }
    }

    static void error(ContextAware owner, String message) {
        error(owner, message, null);
    }

    /**
     * Tells of an error.
     *
     * @param cause null if the message says all
     */
    static void error(ContextAware owner, String message, Throwable cause) {
        if (isNew(owner, message)) {
            owner.addError(message, cause);
            print(owner.getContext(), "ERROR", message);
        }
    }

    /** Tells of an error that each line may repeat, once a minute, whichever appender meets it. */
    static void repeatedError(ContextAware owner, Supplier<String> message) {
        AtomicLong last = of(owner.getContext()).repeated;
        long now = System.nanoTime();
        long before = last.get();
        if ((before == NEVER || now - before > BETWEEN_ERRORS_NANOS) && last.compareAndSet(before, now)) {
            String text = message.get();
            owner.addError(text);
            print(owner.getContext(), "ERROR", text);
        }
    }

    private static boolean isNew(ContextAware owner, String message) {
        Context context = owner.getContext();
        return context == null || of(context).told.put(message, true) == null;
    }

    private static Statuses of(Context context) {
        return ContextListener.of(context, Statuses.class, Statuses::new);
    }

    /** Standard error is enough once. */
    private static void print(Context context, String level, String message) {
        StatusManager statuses = context == null ? null : context.getStatusManager();
        boolean isPrinted = statuses != null && statuses.getCopyOfStatusListenerList().stream()
                .anyMatch(listener -> listener instanceof OnErrorConsoleStatusListener);
        if (!isPrinted) {
            System.err.println("sealmark: " + level + ": " + message);
        }
    }
}
