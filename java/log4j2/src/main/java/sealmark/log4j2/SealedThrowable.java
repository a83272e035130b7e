package sealmark.log4j2;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Stands for an exception: its frames, causes and suppressed exceptions, and another message. Nothing of the
 * exception's own message is in it.
 */
final class SealedThrowable extends Throwable {
    private static final long serialVersionUID = 1;
    /** Renderers go down the causes by recursion, and a getCause may make up a new one for ever. */
    private static final int MOST = 1000;

    /** Null as soon as there is a message. */
    private transient Supplier<String> unknown;
    private String message;

    private SealedThrowable(Supplier<String> message) {
        this.unknown = message;
    }

    /**
     * The likeness of an exception and of all that hang on it.
     *
     * @param thrown is not changed
     * @param messages of each, asked for once, when somebody wants it
     */
    static SealedThrowable of(Throwable thrown, Function<Throwable, Supplier<String>> messages) {
        return of(thrown, messages, new IdentityHashMap<>());
    }

    /** The classes and frames of an exception whose message nobody may read, without anything that holds the message. */
    static SealedThrowable withoutMessages(Throwable thrown) {
        return of(thrown, one -> {
            String name = one.getClass().getName();
            return () -> name;
        });
    }

    private static SealedThrowable of(
            Throwable thrown, Function<Throwable, Supplier<String>> messages, Map<Throwable, SealedThrowable> known) {
        SealedThrowable before = known.get(thrown);
        if (before != null) {
            return before;
        }
        SealedThrowable likeness = new SealedThrowable(messages.apply(thrown));
        likeness.setStackTrace(thrown.getStackTrace());
        known.put(thrown, likeness);
        for (Throwable suppressed : thrown.getSuppressed()) {
            if (known.size() < MOST) {
                likeness.addSuppressed(of(suppressed, messages, known));
            }
        }
        Throwable cause = thrown.getCause();
        if (cause != null && known.size() < MOST) {
            likeness.initCause(of(cause, messages, known));
        }
        return likeness;
    }

    @Override
    public synchronized String getMessage() {
        if (unknown != null) {
            message = unknown.get();
            unknown = null;
        }
        return message;
    }

    /** Its frames are the other's. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
