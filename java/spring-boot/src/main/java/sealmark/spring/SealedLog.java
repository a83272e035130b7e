package sealmark.spring;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggerContextListener;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.ConfigurationEvent;
import ch.qos.logback.core.spi.ConfigurationEventListener;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.spi.FilterReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;
import sealmark.logback.SealedEvents;

/** The sealed logs of a Logback context, from its configuration until it stops. */
final class SealedLog extends ContextAwareBase implements LoggerContextListener, ConfigurationEventListener {
    private static final String KEY = SealedLog.class.getName();
    /** Milliseconds in which an appender that code attaches late may write in the clear. */
    private static final long LATE = 500;

    private static final LongAdder SEALED_BEFORE = new LongAdder();
    private static final LongAdder FAILED_BEFORE = new LongAdder();

    private final LoggerContext logback;
    private final SealmarkProperties properties;
    /** The file of public keys, as it was read last; null if there is none. */
    private byte[] recipients;
    private LogSealer sealer;
    private ScheduledFuture<?> check;
    private ScheduledFuture<?> lateCheck;
    private boolean isStopped;
    private volatile boolean isReset;
    private volatile boolean isConfiguring;
    /** Null while the log is as it was configured; what is wrong stays there until it is put right. */
    private volatile String appenderFault;
    private volatile String recipientsFault;
    private final SealedEvents events;
    private final TurboFilter nothing = new Nothing();

    private SealedLog(LoggerContext logback, SealmarkProperties properties) {
        this.logback = logback;
        this.properties = properties;
        this.recipients = recipients();
        this.sealer = properties.sealer();
        setContext(logback);
        this.events = new SealedEvents(this, properties.seal(), properties.sealExceptions());
    }

    /** Seals the lines that the context writes from its start on; does nothing if that has begun. */
    static synchronized SealedLog begin(LoggerContext logback, SealmarkProperties properties) {
        if (logback.getObject(KEY) instanceof SealedLog begun) {
            return begun;
        }
        SealedLog log = new SealedLog(logback, properties);
        logback.putObject(KEY, log);
        Sealers.install(Sealers.DEFAULT, log.sealer);
        logback.addListener(log);
        logback.addConfigurationEventListener(log);
        log.checkRecipients();
        return log;
    }

    /** Counts the values that were sealed since the JVM began, by whichever sealer. */
    static long sealed() {
        return SEALED_BEFORE.sum() + Sealers.find(Sealers.DEFAULT).sealed();
    }

    /** Counts the values that became markers since the JVM began. */
    static long failed() {
        return FAILED_BEFORE.sum() + Sealers.find(Sealers.DEFAULT).failed();
    }

    /** Names what is wrong with the log that runs, although it was told only once. */
    static List<String> faults() {
        return LoggerFactory.getILoggerFactory() instanceof LoggerContext logback
                && logback.getObject(KEY) instanceof SealedLog log
                ? Stream.of(log.appenderFault, log.recipientsFault).filter(Objects::nonNull).toList() : List.of();
    }

    /** Two applications of a JVM may share a log only if it is sealed in one way. */
    static void requireNoOther(SealmarkProperties properties) {
        boolean isRunning = LoggerFactory.getILoggerFactory() instanceof LoggerContext logback
                && logback.getObject(org.springframework.boot.logging.LoggingSystem.class.getName()) != null
                && logback.getObject(KEY) instanceof SealedLog other && !other.properties.equals(properties);
        if (isRunning) {
            throw new NotSealedException("another application of this JVM seals the same log with other sealmark.* properties",
                    "give both applications the same sealmark.* properties, or close the other one first");
        }
    }

    /** Does nothing where it has been done. */
    void replaceAppenders() {
        new SealedAppenders(logback, events).replaceAll();
    }

    private void checkRecipients() {
        if (recipients != null && !properties.recipientsCheck().isZero()) {
            long time = properties.recipientsCheck().toMillis();
            check = logback.getScheduledExecutorService().scheduleWithFixedDelay(this::readAgain, time, time, MILLISECONDS);
        }
    }

    /** Takes new readers if the file has others. A file that cannot be read leaves the old ones, and a warning. */
    private synchronized void readAgain() {
        byte[] now = recipients();
        if (isStopped || Arrays.equals(now, recipients)) {
            return;
        }
        recipients = now;
        org.slf4j.Logger logger = LoggerFactory.getLogger(SealedLog.class);
        try {
            LogSealer next = properties.sealer();
            LogSealer before = sealer;
            sealer = next;
            Sealers.install(Sealers.DEFAULT, next);
            count(before);
            recipientsFault = null;
            logger.info("{} has changed: new log sessions use its public keys", properties.recipientsFile());
        } catch (NotSealedException error) {
            recipientsFault = properties.recipientsFile()
                    + " has changed and cannot be used, so the log still uses the previous public keys: " + error.getMessage();
            logger.warn("{} (hint: {})", recipientsFault, error.hint());
        }
    }

    /** The content tells, because mounted files of Kubernetes are links to links. Empty if it cannot be read. */
    private byte[] recipients() {
        if (properties.recipientsFile() == null) {
            return null;
        }
        try {
            return Files.readAllBytes(Path.of(properties.recipientsFile()));
        } catch (IOException error) {
            return new byte[0];
        }
    }

    private static void count(LogSealer ended) {
        SEALED_BEFORE.add(ended.sealed());
        FAILED_BEFORE.add(ended.failed());
    }

    @Override
    public boolean isResetResistant() {
        return true;
    }

    @Override
    public void onStart(LoggerContext context) {
        replaceAppenders();
    }

    /**
     * Logback reads its configuration anew, because the file has changed, or code resets it: nothing is logged before the
     * appenders are ours.
     */
    @Override
    public void onReset(LoggerContext context) {
        isReset = true;
        context.addTurboFilter(nothing);
        context.putObject(KEY, this);
    }

    @Override
    public void listen(ConfigurationEvent event) {
        switch (event.getEventType()) {
            case CONFIGURATION_STARTED -> isConfiguring = true;
            case CONFIGURATION_ENDED_SUCCESSFULLY, CONFIGURATION_ENDED_WITH_XML_PARSING_ERRORS -> {
                isConfiguring = false;
                endReset();
            }
            default -> { }
        }
    }

    private void endReset() {
        appenderFault = null;
        try {
            replaceAppenders();
        } catch (NotSealedException error) {
            tell(error);
        }
        // Any other fault leaves it there, so that appenders which were not replaced write nothing.
        logback.getTurboFilterList().remove(nothing);
    }

    /** Code that has reset Logback attaches appenders by itself, and no event says when it is done. */
    private synchronized boolean isLoggingAgain() {
        if (isConfiguring || !SealedAppenders.haveAny(logback)) {
            return false;
        }
        if (logback.getTurboFilterList().contains(nothing)) {
            endReset();
            if (lateCheck == null && !isStopped) {
                lateCheck = logback.getScheduledExecutorService().scheduleWithFixedDelay(this::replaceLate, LATE, LATE,
                        MILLISECONDS);
            }
        }
        return true;
    }

    /** Another thread may have logged before the code attached its last appender. */
    private synchronized void replaceLate() {
        if (isStopped || isConfiguring || logback.getTurboFilterList().contains(nothing)) {
            return;
        }
        SealedAppenders appenders = new SealedAppenders(logback, events);
        try {
            appenders.replaceAll();
        } catch (NotSealedException error) {
            tell(error);
        }
        appenders.names().forEach(name -> tell("appender [" + name + "] was attached after the first event since Logback was"
                + " reset, and wrote in the clear until now\nhint: attach appenders of the package sealmark.logback"));
    }

    /** An application that runs goes on without an appender, as it does if Logback cannot start one. */
    private void tell(NotSealedException error) {
        if (!isReset) {
            throw error;
        }
        appenderFault = error.getMessage() + ", so it writes nothing";
        tell(appenderFault + "\nhint: " + error.hint());
    }

    private void tell(String message) {
        addError(message);
        System.err.println("sealmark: ERROR: " + message);
    }

    @Override
    public synchronized void onStop(LoggerContext context) {
        isStopped = true;
        context.removeObject(KEY);
        context.removeConfigurationEventListener(this);
        context.getTurboFilterList().remove(nothing);
        if (check != null) {
            check.cancel(false);
        }
        if (lateCheck != null) {
            lateCheck.cancel(false);
        }
        Sealers.remove(Sealers.DEFAULT, sealer);
        count(sealer);
    }

    @Override
    public void onLevelChange(Logger logger, Level level) {
        // Levels do not matter here.
    }

    private final class Nothing extends TurboFilter {
        @Override
        public FilterReply decide(
                Marker marker, Logger logger, Level level, String format, Object[] parameters, Throwable error) {
            return isLoggingAgain() ? FilterReply.NEUTRAL : FilterReply.DENY;
        }
    }
}
