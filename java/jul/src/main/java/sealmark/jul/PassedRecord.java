package sealmark.jul;

import java.util.logging.LogRecord;

/** A record with another message or exception, and all else as it is. */
final class PassedRecord extends LogRecord {
    private static final long serialVersionUID = 1;

    private final transient LogRecord original;

    /** @param message null if it is the original's, with its parameters */
    PassedRecord(LogRecord original, String message, Throwable thrown) {
        super(original.getLevel(), message == null ? original.getMessage() : message);
        this.original = original;
        setLoggerName(original.getLoggerName());
        setSequenceNumber(original.getSequenceNumber());
        setLongThreadID(original.getLongThreadID());
        setInstant(original.getInstant());
        setThrown(thrown);
        if (message == null) {
            setParameters(original.getParameters());
            setResourceBundle(original.getResourceBundle());
            setResourceBundleName(original.getResourceBundleName());
        }
    }

    /** Looks for the caller only if somebody asks. */
    @Override
    public String getSourceClassName() {
        return original.getSourceClassName();
    }

    @Override
    public String getSourceMethodName() {
        return original.getSourceMethodName();
    }
}
