package sealmark.logback;

import ch.qos.logback.core.Appender;

/**
 * The settings that the appenders of this package have besides those of Logback's own.
 *
 * @param <E> what is logged
 */
public interface SealedAppender<E> extends Appender<E> {
    /**
     * The part of an appender that writes what a log needs besides its records.
     *
     * @return for this package only
     */
    @SuppressWarnings("exports") // Nobody else can do anything with it.
    SealedLines<E> lines();

    /**
     * Chooses the shape of headers and closing tokens.
     *
     * @param shape {@code PLAIN} or {@code JSON}; if nobody calls this, JSON if the encoder's name says so
     */
    default void setShape(String shape) {
        lines().setShape(shape);
    }

    /**
     * Names conversion words that may write in the clear; the appender warns of all others that seal nothing.
     *
     * @param words for example {@code msg, mdc{traceId}}
     */
    default void setClear(String words) {
        lines().setClear(words);
    }

    /**
     * Seals values by name before the encoder sees them.
     *
     * @param events null, which is the default, if only the encoder seals
     */
    default void setEvents(SealedEvents events) {
        lines().setEvents(events);
    }

    /**
     * Installs a sealer as long as this appender runs.
     *
     * @param sealer must be started before this appender, and is stopped with it
     */
    default void setSealer(SealerConfig sealer) {
        lines().setSealer(sealer);
    }
}
