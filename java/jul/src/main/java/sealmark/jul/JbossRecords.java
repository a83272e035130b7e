package sealmark.jul;

import java.util.logging.LogRecord;
import org.jboss.logmanager.ExtFormatter;
import org.jboss.logmanager.ExtLogRecord;

/** Reads and copies records of JBoss LogManager, which have a context and a style, and keep their formatted text. */
final class JbossRecords {
    private static final ExtFormatter MESSAGES = new ExtFormatter() {
        @Override
        public String format(ExtLogRecord record) {
            return formatMessage(record);
        }
    };

    private JbossRecords() {}

    static boolean isMessageFormat(LogRecord record) {
        return ((ExtLogRecord) record).getFormatStyle() == ExtLogRecord.FormatStyle.MESSAGE_FORMAT;
    }

    static String message(LogRecord record) {
        return MESSAGES.format(new ExtLogRecord((ExtLogRecord) record));
    }

    /**
     * A record whose message is formatted anew.
     *
     * @param message null if it is the original's, with its parameters
     */
    static LogRecord copy(LogRecord record, String message, Throwable thrown) {
        if (record.getClass() != ExtLogRecord.class) {
            // One that wraps another has its caller only from now on, and the copy would look for one of its own.
            record.getSourceClassName();
        }
        ExtLogRecord copy = new ExtLogRecord((ExtLogRecord) record);
        copy.setThrown(thrown);
        if (message != null) {
            copy.setMessage(message, ExtLogRecord.FormatStyle.NO_FORMAT);
            copy.setParameters(null);
        }
        return copy;
    }
}
