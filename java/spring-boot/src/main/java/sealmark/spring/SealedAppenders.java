package sealmark.spring;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.spi.AppenderAttachable;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import org.springframework.boot.json.JsonWriter;
import org.springframework.boot.logging.logback.StructuredLogEncoder;
import sealmark.logback.SealedAppender;
import sealmark.logback.SealedConsoleAppender;
import sealmark.logback.SealedEvents;
import sealmark.logback.SealedFileAppender;
import sealmark.logback.SealedRecordAppender;
import sealmark.logback.SealedRollingFileAppender;

/**
 * Replaces the appenders of a configuration with those that seal: Logback's own by Sealmark's of the same kind, with the same
 * encoder, filters and policies, and any other by one that passes sealed events and headers on to it.
 */
final class SealedAppenders {
    private static final JsonWriter<Object> JSON = JsonWriter.standard();

    private final LoggerContext logback;
    private final SealedEvents events;
    /** Appenders may be attached to several loggers. */
    private final IdentityHashMap<Appender<ILoggingEvent>, Appender<ILoggingEvent>> replaced = new IdentityHashMap<>();
    private NotSealedException fault;

    SealedAppenders(LoggerContext logback, SealedEvents events) {
        this.logback = logback;
        this.events = events;
    }

    /**
     * Replaces what is not sealed yet; all else may be in use, and stays attached.
     *
     * @throws NotSealedException if an appender cannot be replaced; it writes nothing then, and the others do
     */
    void replaceAll() {
        logback.getLoggerList().forEach(this::replaceAll);
        if (fault != null) {
            throw fault;
        }
    }

    /** Names of those that were replaced. */
    List<String> names() {
        return replaced.entrySet().stream().filter(one -> one.getKey() != one.getValue()).map(one -> one.getKey().getName())
                .toList();
    }

    static boolean haveAny(LoggerContext logback) {
        return logback.getLoggerList().stream().anyMatch(logger -> logger.iteratorForAppenders().hasNext());
    }

    private void replaceAll(AppenderAttachable<ILoggingEvent> attachable) {
        for (Appender<ILoggingEvent> appender : attached(attachable)) {
            if (!isSealed(appender)) {
                attachable.detachAppender(appender);
                replace(appender, attachable);
            }
        }
    }

    private void replace(Appender<ILoggingEvent> appender, AppenderAttachable<ILoggingEvent> attachable) {
        try {
            attachable.addAppender(replacement(appender));
        } catch (NotSealedException error) {
            fault = error;
        } catch (RuntimeException error) {
            // A rolling appender without a policy, for instance. The others are still to be replaced.
            fault = notReplaced(appender, ": " + error);
        }
    }

    /** True if an appender seals from here on without being replaced. */
    private boolean isSealed(Appender<ILoggingEvent> appender) {
        if (appender instanceof SealedAppender<ILoggingEvent> ours) {
            ours.setEvents(events((OutputStreamAppender<ILoggingEvent>) appender));
            return true;
        }
        return appender instanceof SealedRecordAppender || (appender.getClass() == AsyncAppender.class
                && attached((AsyncAppender) appender).stream().allMatch(this::isSealed));
    }

    private static List<Appender<ILoggingEvent>> attached(AppenderAttachable<ILoggingEvent> attachable) {
        List<Appender<ILoggingEvent>> all = new ArrayList<>();
        for (Iterator<Appender<ILoggingEvent>> some = attachable.iteratorForAppenders(); some.hasNext();) {
            all.add(some.next());
        }
        return all;
    }

    private Appender<ILoggingEvent> replacement(Appender<ILoggingEvent> appender) {
        Appender<ILoggingEvent> known = replaced.get(appender);
        if (known == null) {
            known = make(appender);
            replaced.put(appender, known);
        }
        return known;
    }

    private Appender<ILoggingEvent> make(Appender<ILoggingEvent> appender) {
        if (isSealed(appender)) {
            return appender;
        }
        // Subclasses do what nobody knows here.
        if (appender.getClass() == ConsoleAppender.class) {
            return console((ConsoleAppender<ILoggingEvent>) appender);
        }
        if (appender.getClass() == RollingFileAppender.class) {
            return rolling((RollingFileAppender<ILoggingEvent>) appender);
        }
        if (appender.getClass() == FileAppender.class) {
            return file((FileAppender<ILoggingEvent>) appender);
        }
        if (appender.getClass() == AsyncAppender.class) {
            return async((AsyncAppender) appender);
        }
        return passing(appender);
    }

    private Appender<ILoggingEvent> console(ConsoleAppender<ILoggingEvent> old) {
        SealedConsoleAppender<ILoggingEvent> sealed = new SealedConsoleAppender<>();
        sealed.setTarget(old.getTarget());
        sealed.setWithJansi(old.isWithJansi());
        take(old, sealed);
        sealed.setEvents(events(sealed));
        return started(sealed, old);
    }

    private Appender<ILoggingEvent> file(FileAppender<ILoggingEvent> old) {
        SealedFileAppender<ILoggingEvent> sealed = new SealedFileAppender<>();
        sealed.setFile(old.rawFileProperty());
        sealed.setAppend(old.isAppend());
        sealed.setPrudent(old.isPrudent());
        take(old, sealed);
        sealed.setEvents(events(sealed));
        return started(sealed, old);
    }

    private Appender<ILoggingEvent> rolling(RollingFileAppender<ILoggingEvent> old) {
        SealedRollingFileAppender<ILoggingEvent> sealed = new SealedRollingFileAppender<>();
        sealed.setFile(old.rawFileProperty());
        sealed.setPrudent(old.isPrudent());
        take(old, sealed);
        sealed.setRollingPolicy(old.getRollingPolicy());
        if (old.getTriggeringPolicy() != old.getRollingPolicy()) {
            sealed.setTriggeringPolicy(old.getTriggeringPolicy());
            old.getTriggeringPolicy().start();
        }
        old.getRollingPolicy().setParent(sealed);
        old.getRollingPolicy().start();
        sealed.setEvents(events(sealed));
        return started(sealed, old);
    }

    /** Stops the old appender, which closes its file, and gives its settings to the new one. */
    private void take(OutputStreamAppender<ILoggingEvent> old, OutputStreamAppender<ILoggingEvent> sealed) {
        old.stop();
        sealed.setContext(logback);
        sealed.setName(old.getName());
        old.getCopyOfAttachedFiltersList().forEach(sealed::addFilter);
        sealed.setImmediateFlush(old.isImmediateFlush());
        sealed.setEncoder(old.getEncoder());
        if (old.getEncoder() instanceof LayoutWrappingEncoder<ILoggingEvent> text) {
            text.setParent(sealed);
        }
    }

    private Appender<ILoggingEvent> async(AsyncAppender old) {
        AsyncAppender sealed = new AsyncAppender();
        sealed.setContext(logback);
        sealed.setName(old.getName());
        old.getCopyOfAttachedFiltersList().forEach(sealed::addFilter);
        sealed.setQueueSize(old.getQueueSize());
        sealed.setDiscardingThreshold(old.getDiscardingThreshold());
        sealed.setMaxFlushTime(old.getMaxFlushTime());
        sealed.setNeverBlock(old.isNeverBlock());
        sealed.setIncludeCallerData(old.isIncludeCallerData());
        List<Appender<ILoggingEvent>> inner = attached(old);
        // It stops what is attached to it.
        inner.forEach(old::detachAppender);
        old.stop();
        inner.forEach(appender -> sealed.addAppender(replacement(appender)));
        return started(sealed, old);
    }

    private Appender<ILoggingEvent> passing(Appender<ILoggingEvent> other) {
        SealedRecordAppender sealed = new SealedRecordAppender();
        sealed.setContext(logback);
        sealed.setName(other.getName());
        sealed.setEvents(events);
        sealed.addAppender(other);
        return started(sealed, other);
    }

    private static Appender<ILoggingEvent> started(Appender<ILoggingEvent> sealed, Appender<ILoggingEvent> old) {
        sealed.start();
        if (!sealed.isStarted()) {
            throw notReplaced(old, "");
        }
        return sealed;
    }

    private static NotSealedException notReplaced(Appender<ILoggingEvent> old, String reason) {
        return new NotSealedException("appender [" + old.getName() + "] cannot be replaced with one that seals" + reason,
                "see Logback's statuses for the reason");
    }

    /** Spring Boot's encoder writes JSON in its own manner. */
    private SealedEvents events(OutputStreamAppender<ILoggingEvent> appender) {
        return appender.getEncoder() instanceof StructuredLogEncoder ? events.inJson(JSON::writeToString) : events;
    }
}
