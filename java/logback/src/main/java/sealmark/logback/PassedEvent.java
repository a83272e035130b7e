package sealmark.logback;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggerContextVO;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;

/** An event that is another in all that a subclass does not change. */
class PassedEvent implements ILoggingEvent {
    final ILoggingEvent original;

    PassedEvent(ILoggingEvent original) {
        this.original = original;
    }

    @Override
    public String getThreadName() {
        return original.getThreadName();
    }

    @Override
    public Level getLevel() {
        return original.getLevel();
    }

    @Override
    public String getMessage() {
        return original.getMessage();
    }

    @Override
    public Object[] getArgumentArray() {
        return original.getArgumentArray();
    }

    @Override
    public String getFormattedMessage() {
        return original.getFormattedMessage();
    }

    @Override
    public String getLoggerName() {
        return original.getLoggerName();
    }

    @Override
    public LoggerContextVO getLoggerContextVO() {
        return original.getLoggerContextVO();
    }

    @Override
    public IThrowableProxy getThrowableProxy() {
        return original.getThrowableProxy();
    }

    @Override
    public StackTraceElement[] getCallerData() {
        return original.getCallerData();
    }

    @Override
    public boolean hasCallerData() {
        return original.hasCallerData();
    }

    @Override
    public List<Marker> getMarkerList() {
        return original.getMarkerList();
    }

    @Override
    public Map<String, String> getMDCPropertyMap() {
        return original.getMDCPropertyMap();
    }

    @Override
    @Deprecated
    public Map<String, String> getMdc() {
        return original.getMdc();
    }

    @Override
    public long getTimeStamp() {
        return original.getTimeStamp();
    }

    @Override
    public int getNanoseconds() {
        return original.getNanoseconds();
    }

    @Override
    public Instant getInstant() {
        return original.getInstant();
    }

    @Override
    public long getSequenceNumber() {
        return original.getSequenceNumber();
    }

    @Override
    public List<KeyValuePair> getKeyValuePairs() {
        return original.getKeyValuePairs();
    }

    @Override
    public void prepareForDeferredProcessing() {
        original.prepareForDeferredProcessing();
    }

    /** Some encoders write it. */
    @Override
    public String toString() {
        return "[" + getLevel() + "] " + getFormattedMessage();
    }
}
