package sealmark.spring;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import sealmark.logback.SealedEvents;

/**
 * Passes sealed events to an appender that is not Sealmark's. That writes no headers, so named values become markers unless
 * there is a side file.
 */
final class PassingAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
    private final Appender<ILoggingEvent> other;
    private SealedEvents events;

    PassingAppender(Appender<ILoggingEvent> other) {
        this.other = other;
    }

    void setEvents(SealedEvents events) {
        this.events = events;
    }

    @Override
    protected void append(ILoggingEvent event) {
        other.doAppend(events.apply(event));
    }

    @Override
    public void stop() {
        super.stop();
        other.stop();
    }
}
