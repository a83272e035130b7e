package sealmark.logback;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.recovery.RecoveryListener;
import ch.qos.logback.core.recovery.ResilientFileOutputStream;
import ch.qos.logback.core.recovery.ResilientOutputStreamBase;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sealmark.log.LineGate;
import sealmark.log.Sealers;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.log.Tokens;

/**
 * The part that this package's appenders share: the lines that a log needs besides its records.
 *
 * <p>Logback encodes outside of its lock. So header and line become one write under that lock; and as a file stands
 * alone only if it has all values of its sessions, it is not closed while a line is between its encoder and the file.
 */
final class SealedLines<E> {
    private static final String MARKER_START = "~s1x~";
    private static final Pattern MARKER = Pattern.compile("~s1x~([^~]{1,64})~");

    private final OutputStreamAppender<E> appender;
    /** The appender's, as the next two. */
    private final Lock streamLock;
    private final Sink sink;
    private final Consumer<byte[]> count;
    private final LineGate gate = new LineGate();
    private Shape wanted;
    private SessionLines own = new SessionLines(Shape.PLAIN);
    /** While lines are lost, each is given its header. */
    private boolean failing;
    /** A line was begun, and a thread out of stack or memory may not have written it with its header. */
    private boolean isUnsure;
    /** Text that the file needs before the next line, and before the header of that line. */
    private String first = "";
    /** Is stopped with the appender, and does nothing then where it was never started. */
    private SealerConfig sealer = new SealerConfig();
    private UnaryOperator<ILoggingEvent> messages = UnaryOperator.identity();
    /** Seals values by name before an encoder sees them; null if only the encoder seals. */
    private SealedEvents events;
    private Set<String> clear = Set.of();

    SealedLines(OutputStreamAppender<E> appender, Lock streamLock, Sink sink, Consumer<byte[]> count) {
        this.appender = appender;
        this.streamLock = streamLock;
        this.sink = sink;
        this.count = count;
    }

    /** A sealer that is stopped with the appender. */
    void setSealer(SealerConfig sealer) {
        this.sealer = sealer;
    }

    /** Values that are sealed by name, whatever the encoder. */
    void setEvents(SealedEvents events) {
        this.events = events;
    }

    void setClear(String words) {
        clear = PatternWords.words(words);
    }

    void setShape(String shape) {
        try {
            wanted = Shape.valueOf(shape.trim().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException error) {
            Statuses.error(appender, "\"" + shape + "\" is not a shape of a line\nhint: <shape>PLAIN</shape> or JSON", error);
        }
    }

    /** Chooses the lines' shape; false if tokens could not be found again, or opened. */
    boolean begin(Encoder<?> encoder) {
        if (appender instanceof FileAppender<?> file && file.isPrudent()) {
            Statuses.error(appender, "\"prudent\" is not supported, because several processes cannot write one sealed log, so the"
                    + " appender writes nothing\nhint: give each process a file of its own");
            return false;
        }
        own = new SessionLines(wanted != null ? wanted : Formatter.looksLikeJson(encoder) ? Shape.JSON : Shape.PLAIN);
        if (encoder instanceof LayoutWrappingEncoder<?> text && text.getCharset() != null
                && !Tokens.areFoundIn(text.getCharset())) {
            Statuses.error(appender, "tokens cannot be found in the encoder's charset, " + text.getCharset()
                    + ", so the appender writes nothing\nhint: <charset>UTF-8</charset>");
            return false;
        }
        PatternWords words = PatternWords.of(encoder);
        if (events != null) {
            events.tell(encoder);
        } else if (words != null) {
            words.tell(appender, clear);
        } else if (!Formatter.isLogstash(encoder) && !Formatter.isOurs(encoder) && !clear.contains("encoder")) {
            Statuses.warn(appender, Formatter.name(encoder) + " writes MDC entries, key-value pairs and exceptions in the"
                    + " clear: only Sealed values are sealed\nhint: use a <pattern> with %sealed, or an encoder of"
                    + " logstash-logback-encoder with SealedFields; if this is meant, add <clear>encoder</clear>");
        }
        return findMessages(encoder);
    }

    /** False with another logstash-logback-encoder than ours, whose events could not be sealed. */
    private boolean findMessages(Encoder<?> encoder) {
        try {
            messages = Formatter.isLogstash(encoder) ? SealedMessages.of(encoder) : UnaryOperator.identity();
            return true;
        } catch (LinkageError error) {
            Statuses.error(appender, "this version of logstash-logback-encoder is not supported, so the appender writes nothing"
                    + "\nhint: use 9.0 or later", error);
            return false;
        }
    }

    /** Begins a stream. */
    void open(OutputStream stream, Runnable open) {
        streamLock.lock();
        try {
            // The sessions of the stream before end in that; the encoder begins this one, perhaps with lines of its own.
            close();
            byte[] end = opening(stream).getBytes(ISO_8859_1);
            if (stream instanceof ResilientFileOutputStream file) {
                file.write(end, 0, end.length);
            }
            open.run();
            failing = false;
            isUnsure = false;
            first = "";
            if (stream instanceof ResilientOutputStreamBase resilient) {
                resilient.addRecoveryListener(new LostLines(stream));
            }
        } finally {
            streamLock.unlock();
        }
    }

    /** The text to write first to a stream that goes on with a file, or begins one. */
    private String opening(OutputStream stream) {
        if (stream instanceof ResilientFileOutputStream file) {
            return own.opening(file.getFile().toPath());
        }
        own.opening();
        return "";
    }

    /** Ends the sessions of a stream that is about to be closed; called under its lock. */
    void close() {
        if (!appender.isStarted() || appender.getOutputStream() == null) {
            return;
        }
        byte[] closing = own.closing().getBytes(ISO_8859_1);
        if (closing.length == 0) {
            return;
        }
        try {
            sink.write(closing);
        } catch (IOException error) {
            Statuses.error(appender, "could not write the closing token of a log session, so `sealmark log verify` will"
                    + " report it as not closed", error);
        }
    }

    /** An event whose message, with the values sealed in it, is made when the file is sure to wait for the line. */
    @SuppressWarnings("unchecked")
    E unprepared(E event) {
        return event instanceof ILoggingEvent original ? (E) new EventOfLog(original, own) : event;
    }

    @SuppressWarnings("unchecked")
    private E prepared(E event) {
        if (!(event instanceof EventOfLog ofLog)) {
            return event;
        }
        ILoggingEvent sealed = messages.apply(ofLog);
        return (E) (events == null ? sealed : events.apply(sealed));
    }

    /** Encodes and writes an event while no file is closed. */
    void write(E event) throws IOException {
        // Never nested: Logback keeps a thread from an appender that it is in.
        gate.enter(false);
        try {
            byte[] line = appender.isStarted() ? encoded(event) : null;
            if (line != null && line.length > 0) {
                write(line);
            }
        } finally {
            gate.leave();
        }
    }

    private byte[] encoded(E event) {
        try {
            return own.format(() -> appender.getEncoder().encode(prepared(event)));
        } catch (RuntimeException | StackOverflowError error) {
            throw new NotEncoded(error);
        }
    }

    private void write(byte[] line) throws IOException {
        streamLock.lock();
        try {
            if (appender.isStarted()) {
                byte[] all = with(line);
                sink.write(all);
                isUnsure = false;
                count.accept(all);
            }
        } finally {
            streamLock.unlock();
        }
    }

    /** A line with what belongs before it. */
    private byte[] with(byte[] line) {
        if (failing || isUnsure) {
            first = opening(appender.getOutputStream());
        }
        isUnsure = true;
        // A character for each byte: a token's are ASCII, and the JVM looks through a string sixteen or more at a time.
        String text = new String(line, ISO_8859_1);
        String own = this.own.withoutLookalikes(Sealers.find(sealer.name()), text);
        String before = first + this.own.before(own);
        first = "";
        tellOfMarkers(own);
        return before.isEmpty() && own.equals(text) ? line : (before + own).getBytes(ISO_8859_1);
    }

    /** Logs themselves show markers, and nobody may look: an error says why, once a minute. */
    private void tellOfMarkers(String line) {
        if (!line.contains(MARKER_START)) {
            return;
        }
        Matcher marker = MARKER.matcher(line);
        if (marker.find()) {
            Statuses.repeatedError(appender, () -> "a value was not sealed, and the log has the marker " + marker.group()
                    + ": " + whyMarkers());
        }
    }

    private String whyMarkers() {
        String name = sealer.name();
        String missing = SealerConfig.failure(appender.getContext(), name);
        if (!Sealers.isInstalled(name) && missing != null) {
            return missing;
        }
        String reason = Sealers.find(name).lastFailure();
        return (reason == null ? "a sealer other than \"" + name + "\" failed" : reason) + "\nhint: "
                + (Sealers.isInstalled(name) ? "fix the cause; this value cannot be recovered (JMX counts it under Failed)"
                : "<contextListener class=\"sealmark.logback.SealerConfig\"> with a <recipientsFile>");
    }

    /** Stops the appender, and its sealer then. */
    void stop(Runnable stop) {
        closing(stop);
        sealer.stop();
    }

    /** Closes a file when the lines on their way are in it. */
    void closing(Runnable close) {
        boolean isClosed = gate.close(0);
        try {
            close.run();
        } finally {
            if (isClosed) {
                gate.open();
            }
        }
    }

    /** The stream that Logback writes to drops lines from a failure on until it has opened the file again. */
    private final class LostLines implements RecoveryListener {
        private final OutputStream stream;

        LostLines(OutputStream stream) {
            this.stream = stream;
        }

        @Override
        public void newFailure(IOException error) {
            failing = true;
        }

        /** Called when it has written again, or only flushed: then the line before is lost. */
        @Override
        public void recoveryOccured() {
            failing = false;
            first = opening(stream);
        }
    }

    /** Where lines go. */
    interface Sink {
        void write(byte[] lines) throws IOException;
    }
}
