package sealmark.logback;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.spi.ContextAware;

/**
 * Tells the operator what goes wrong while the application logs.
 *
 * <p>Logback prints warnings and errors of a configuration once it has read it, and later ones only if a status listener
 * is configured. If there is none, they go to standard error from here.
 */
final class Statuses {
    private Statuses() {}

    static void warn(ContextAware owner, String message) {
        owner.addWarn(message);
        print(owner.getContext(), "WARN", message);
    }

    static void error(ContextAware owner, String message) {
        owner.addError(message);
        print(owner.getContext(), "ERROR", message);
    }

    private static void print(Context context, String level, String message) {
        if (context == null || context.getStatusManager().getCopyOfStatusListenerList().isEmpty()) {
            System.err.println("sealmark: " + level + ": " + message);
        }
    }
}
