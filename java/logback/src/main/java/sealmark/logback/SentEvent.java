package sealmark.logback;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.event.KeyValuePair;
import sealmark.log.Sealers;
import sealmark.log.SessionLines;

/**
 * An event for appenders that send records. Its message is made at once. All else is sealed when a layout asks for it, or when an
 * appender says that another thread is going to: that one may ask after the sessions have ended, when no header is sent any more.
 */
final class SentEvent extends PassedEvent {
    private final SessionLines own;
    private final String message;
    private final String thread;
    private Map<String, String> context;
    private List<KeyValuePair> pairs;
    private IThrowableProxy throwable;
    private volatile boolean isPrepared;

    /** Called on the thread that logs. */
    SentEvent(ILoggingEvent original, SessionLines own, String sealer) {
        super(original);
        this.own = own;
        thread = original.getThreadName();
        String formatted = original.getFormattedMessage();
        message = formatted == null ? "" : own.withoutLookalikes(Sealers.find(sealer), formatted);
    }

    @Override
    public void prepareForDeferredProcessing() {
        if (isPrepared) {
            return;
        }
        isPrepared = own.format(() -> {
            context = original.getMDCPropertyMap() == null ? null : new LinkedHashMap<>(original.getMDCPropertyMap());
            pairs = original.getKeyValuePairs();
            throwable = original.getThrowableProxy();
            if (throwable instanceof SealedThrowable sealed) {
                sealed.sealAll();
            }
            return true;
        });
    }

    @Override
    public String getThreadName() {
        return thread;
    }

    @Override
    public String getFormattedMessage() {
        return message;
    }

    @Override
    public Map<String, String> getMDCPropertyMap() {
        return isPrepared ? context : original.getMDCPropertyMap();
    }

    @Override
    @Deprecated
    public Map<String, String> getMdc() {
        return isPrepared ? context : original.getMDCPropertyMap();
    }

    @Override
    public List<KeyValuePair> getKeyValuePairs() {
        return isPrepared ? pairs : original.getKeyValuePairs();
    }

    @Override
    public IThrowableProxy getThrowableProxy() {
        return isPrepared ? throwable : original.getThrowableProxy();
    }
}
