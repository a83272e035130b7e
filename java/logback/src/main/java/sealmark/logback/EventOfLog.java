package sealmark.logback;

import ch.qos.logback.classic.spi.ILoggingEvent;
import org.slf4j.helpers.MessageFormatter;
import sealmark.log.SessionLines;

/**
 * An event whose message has no tokens of another log's sessions: a session with values in two logs cannot be verified in
 * either. Its message is made when the encoder writes it, because a token that no line has would count as missing.
 */
final class EventOfLog extends PassedEvent {
    private final SessionLines own;
    private String message;

    EventOfLog(ILoggingEvent original, SessionLines own) {
        super(original);
        this.own = own;
    }

    @Override
    public String getFormattedMessage() {
        if (message == null) {
            String formatted = original.getFormattedMessage();
            message = formatted != null && own.hasTokensOfAnother(formatted)
                    ? MessageFormatter.arrayFormat(original.getMessage(), original.getArgumentArray()).getMessage()
                    : formatted;
        }
        return message;
    }

    /** Logback asks for this between its check for roll-over and the encoder, and it is done later. */
    @Override
    public void prepareForDeferredProcessing() {}
}
