package sealmark.log4j2;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.appender.SmtpAppender;
import org.apache.logging.log4j.core.appender.rewrite.RewritePolicy;
import org.apache.logging.log4j.core.config.AppenderControl;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginElement;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.apache.logging.log4j.core.impl.ContextDataFactory;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import sealmark.log.SessionLines;

/**
 * Passes records with tokens on to appenders that send them: Kafka, syslog, mail, HTTP, JMS. It sends the headers that readers
 * need as records of their own, which the same appender lays out and sends:
 *
 * <pre>{@code
 * <SealedRecords name="sealed">
 *   <SealingRewritePolicy keys="email" exceptions="true"/>
 *   <Kafka name="kafka" topic="logs">…</Kafka>
 * </SealedRecords>
 * }</pre>
 *
 * <p>The other appenders are inside it, so that they still send when the sessions end. They may have sealing words in their
 * patterns, and {@link SealedLayout}, which also seals text that looks like a token. The policy is optional, and any
 * {@code RewritePolicy} will do.
 *
 * <p>A header record has the logger {@value #HEADER_LOGGER} and the level of the record after it, so a filter for levels
 * passes both; in mails it has the level INFO. Headers are repeated, because a receiver may lose records: see {@link SessionLines#ofRecords}.
 */
@Plugin(name = "SealedRecords", category = Core.CATEGORY_NAME, elementType = Appender.ELEMENT_TYPE, printObject = true)
public final class SealedRecordAppender extends AbstractAppender {
    /** The name of the logger of header records. */
    public static final String HEADER_LOGGER = "sealmark";

    private final List<AppenderControl> others;
    private final RewritePolicy policy;
    private final SessionLines own = SessionLines.ofRecords();
    /** The level of the last record, for closing tokens: the appenders let that pass. */
    private volatile Level level = Level.INFO;

    private SealedRecordAppender(String name, Appender[] others, RewritePolicy policy, Filter filter) {
        // The other appenders tell of their own exceptions, or pass them on.
        super(name, filter, null, false, Property.EMPTY_ARRAY);
        this.others = Arrays.stream(others).map(other -> new AppenderControl(other, null, null)).toList();
        this.policy = policy;
    }

    /**
     * Called by Log4j.
     *
     * @param name the name by which loggers refer to it
     * @param others appenders that send records
     * @param policy changes records before they are sent; may be null
     * @param filter chooses records; may be null
     * @return null, after an error, if there is nothing to send with
     */
    @PluginFactory
    public static SealedRecordAppender create(
            @PluginAttribute("name") String name,
            @PluginElement("Appender") Appender[] others,
            @PluginElement("RewritePolicy") RewritePolicy policy,
            @PluginElement("Filter") Filter filter) {
        if (others == null || others.length == 0) {
            LOGGER.error("<SealedRecords name=\"{}\"> has no appender inside, so nothing is sent\n"
                    + "hint: <SealedRecords name=\"{}\"><Syslog name=\"…\" …/></SealedRecords>", name, name);
            return null;
        }
        return new SealedRecordAppender(name, others, policy, filter);
    }

    @Override
    public void start() {
        others.forEach(other -> other.getAppender().start());
        super.start();
    }

    @Override
    public void append(LogEvent event) {
        level = event.getLevel();
        LogEvent record = policy == null ? event : own.format(() -> policy.rewrite(event));
        SealedLayout.formatParameters(record.getMessage());
        // Any text that is not empty counts as a record: the layouts of the others make its own.
        send(own.before(" "), event.getLevel());
        own.format(() -> {
            others.forEach(other -> other.callAppender(record));
            return null;
        });
        send(own.before(""), event.getLevel());
    }

    private void send(String headers, Level as) {
        headers.lines().forEach(part -> others.forEach(other -> {
            // An error would send a mail with a header alone. Others go into the next mail.
            Level level = other.getAppender() instanceof SmtpAppender ? Level.INFO : as;
            // Without these, it would have the context of this thread, in the clear.
            other.callAppender(Log4jLogEvent.newBuilder().setLoggerName(HEADER_LOGGER).setLevel(level)
                    .setContextData(ContextDataFactory.emptyFrozenContextData())
                    .setContextStack(ThreadContext.EMPTY_STACK)
                    .setMessage(new HeaderMessage(part)).setTimeMillis(System.currentTimeMillis()).build());
        }));
    }

    /** True if an event is a header record. Its text looks like a stranger's to a {@link SealedLayout}, which must not seal it. */
    static boolean isHeader(LogEvent event) {
        return event.getMessage() instanceof HeaderMessage;
    }

    private static final class HeaderMessage extends SimpleMessage {
        private static final long serialVersionUID = 1;

        private HeaderMessage(String part) {
            super(part);
        }
    }

    /** Ends the sessions, while the other appenders still send. */
    @Override
    public boolean stop(long timeout, TimeUnit unit) {
        setStopping();
        send(own.closing(), level);
        boolean isStopped = super.stop(timeout, unit, false);
        for (AppenderControl other : others) {
            other.getAppender().stop();
        }
        setStopped();
        return isStopped;
    }
}
