package sealmark.logback;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.net.SMTPAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import sealmark.log.SealerSettings;
import sealmark.log.SessionLines;

/**
 * Passes records with tokens on to appenders that send them: syslog, mail, a queue, OpenTelemetry. It sends the headers that
 * readers need as records of their own, which the same appender lays out and sends:
 *
 * <pre>{@code
 * <appender name="SEALED" class="sealmark.logback.SealedRecordAppender">
 *   <seal>email, user.*</seal>
 *   <appender-ref ref="SYSLOG"/>
 * </appender>
 * }</pre>
 *
 * <p>It seals {@code Sealed} values in messages, the messages of exceptions, and MDC entries and key-value pairs that {@code
 * <seal>} names; {@code <clear>ex</clear>} leaves exceptions in the clear. Conversion words in the pattern of the other appender
 * seal, too, if it lays out records on the thread that logs.
 *
 * <p>A header record has the logger {@value #HEADER_LOGGER} and the level of the record after it, so a filter for levels
 * passes both; in mails it has the level INFO. Headers are repeated, because a receiver may lose records: see {@link SessionLines#ofRecords}.
 */
public final class SealedRecordAppender extends UnsynchronizedAppenderBase<ILoggingEvent>
        implements AppenderAttachable<ILoggingEvent> {
    /** The name of the logger of header records. */
    public static final String HEADER_LOGGER = "sealmark";

    private static final String EXCEPTIONS = "ex";

    private final AppenderAttachableImpl<ILoggingEvent> others = new AppenderAttachableImpl<>();
    private final SessionLines own = SessionLines.ofRecords();
    private final List<String> names = new ArrayList<>();
    private boolean clearsExceptions;
    private SealedEvents events;
    private SealerConfig sealer = new SealerConfig();
    /** The level of the last record, for closing tokens: the appenders let that pass. */
    private volatile Level level = Level.INFO;

    /** An appender that no other is attached to yet. */
    public SealedRecordAppender() {}

    /**
     * Names MDC entries and key-value pairs whose values are sealed.
     *
     * @param names as {@link SealedEvents} takes them, with commas or spaces between
     */
    public void addSeal(String names) {
        this.names.addAll(SealerSettings.words(names));
    }

    /**
     * Names what may stay in the clear.
     *
     * @param words {@code ex} for the messages of exceptions
     */
    public void setClear(String words) {
        List<String> all = SealerSettings.words(words);
        clearsExceptions = all.contains(EXCEPTIONS);
        all.stream().filter(word -> !word.equals(EXCEPTIONS)).forEach(word -> Statuses.error(this, "\"" + word
                + "\" in <clear> is unknown, and changes nothing\nhint: <clear>ex</clear>"));
    }

    /**
     * Chooses what is sealed by name.
     *
     * @param events are used in place of {@link #addSeal} and {@link #setClear}
     */
    public void setEvents(SealedEvents events) {
        this.events = events.ofLog(own);
    }

    /**
     * Installs a sealer as long as this appender runs.
     *
     * @param sealer must be started before this appender, and is stopped with it
     */
    public void setSealer(SealerConfig sealer) {
        this.sealer = sealer;
    }

    @Override
    public void start() {
        if (!iteratorForAppenders().hasNext()) {
            Statuses.error(this, "no appender is attached, so nothing is sent\nhint: <appender-ref ref=\"…\"/>");
            return;
        }
        if (events == null) {
            setEvents(new SealedEvents(this, names, !clearsExceptions));
        }
        super.start();
    }

    @Override
    protected void append(ILoggingEvent event) {
        level = event.getLevel();
        ILoggingEvent record = own.format(() -> new SentEvent(events.apply(new EventOfLog(event, own)), own, sealer.name()));
        send(own.before(record.getFormattedMessage()), event.getLevel());
        own.format(() -> others.appendLoopOnAppenders(record));
        // The other appender may have begun a session, or another thread of it.
        send(own.before(""), event.getLevel());
    }

    private void send(String headers, Level as) {
        if (headers.isEmpty() || !(getContext() instanceof LoggerContext context)) {
            return;
        }
        ch.qos.logback.classic.Logger logger = context.getLogger(HEADER_LOGGER);
        headers.lines().forEach(part -> others.iteratorForAppenders().forEachRemaining(other -> {
            // An error would send a mail with a header alone. Others go into the next mail.
            Level level = other instanceof SMTPAppenderBase ? Level.INFO : as;
            LoggingEvent header = new LoggingEvent(Logger.class.getName(), logger, level, part, null, null);
            // Otherwise it would have that of this thread, in the clear.
            header.setMDCPropertyMap(Map.of());
            other.doAppend(header);
        }));
    }

    /** Ends the sessions, while the other appenders still send. */
    @Override
    public void stop() {
        if (!isStarted()) {
            return;
        }
        send(own.closing(), level);
        super.stop();
        others.detachAndStopAllAppenders();
        sealer.stop();
    }

    @Override
    public void addAppender(Appender<ILoggingEvent> other) {
        others.addAppender(other);
    }

    @Override
    public Iterator<Appender<ILoggingEvent>> iteratorForAppenders() {
        return others.iteratorForAppenders();
    }

    @Override
    public Appender<ILoggingEvent> getAppender(String name) {
        return others.getAppender(name);
    }

    @Override
    public boolean isAttached(Appender<ILoggingEvent> other) {
        return others.isAttached(other);
    }

    @Override
    public void detachAndStopAllAppenders() {
        others.detachAndStopAllAppenders();
    }

    @Override
    public boolean detachAppender(Appender<ILoggingEvent> other) {
        return others.detachAppender(other);
    }

    @Override
    public boolean detachAppender(String name) {
        return others.detachAppender(name);
    }
}
