package sealmark.logback;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.recovery.RecoveryListener;
import ch.qos.logback.core.recovery.ResilientOutputStreamBase;
import ch.qos.logback.core.spi.ContextAware;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import sealmark.log.OwnLines;
import sealmark.log.Shape;

/**
 * What this package's appenders share: the lines that a log needs besides its records.
 *
 * <p>Logback encodes outside of its lock. So header and line become one write under that lock; and as a file stands
 * alone only if it has all values of its sessions, it is not closed while a line is between its encoder and the file.
 */
final class SealedLines {
    private static final String SOME_TOKEN = "~s1a~label~";
    /** Whoever encodes may wait for what the thread holds that rolls over, or be that thread. */
    private static final long PATIENCE_SECONDS = 1;

    private final ContextAware appender;
    /** Shared by those who write a line, exclusive for those who close a file. */
    private final ReentrantReadWriteLock writing = new ReentrantReadWriteLock();
    private Shape wanted;
    private OwnLines own = new OwnLines(Shape.PLAIN);
    /** While lines are lost, each is given its header. */
    private boolean failing;

    SealedLines(ContextAware appender) {
        this.appender = appender;
    }

    void setShape(String shape) {
        try {
            wanted = Shape.valueOf(shape.trim().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException error) {
            appender.addError("\"" + shape + "\" is no shape of a line\nhint: <shape>PLAIN</shape> or JSON", error);
        }
    }

    /** Chooses the lines' shape; false where tokens in this encoding could not be found again. */
    boolean begin(Encoder<?> encoder) {
        own = new OwnLines(wanted != null ? wanted : looksLikeJson(encoder) ? Shape.JSON : Shape.PLAIN);
        if (encoder instanceof LayoutWrappingEncoder<?> text && text.getCharset() != null
                && !Arrays.equals(SOME_TOKEN.getBytes(text.getCharset()), SOME_TOKEN.getBytes(ISO_8859_1))) {
            appender.addError(
                    "nobody finds tokens in a log in " + text.getCharset() + "\nhint: <charset>UTF-8</charset>");
            return false;
        }
        return true;
    }

    /** Encoders are not asked for their format, as there is no such question: JSON is in their names. */
    private static boolean looksLikeJson(Encoder<?> encoder) {
        Object formatter = encoder instanceof LayoutWrappingEncoder<?> wrapping ? wrapping.getLayout() : encoder;
        Class<?> type = formatter == null ? null : formatter.getClass();
        for (; type != null; type = type.getSuperclass()) {
            String name = type.getSimpleName();
            if (name.contains("Json") || name.contains("Logstash") || name.equals("StructuredLogEncoder")) {
                return true;
            }
        }
        return false;
    }

    /** A stream begins; called under the stream's lock, as the next two. */
    void opened(OutputStream stream) {
        failing = false;
        own.opening();
        if (stream instanceof ResilientOutputStreamBase resilient) {
            resilient.addRecoveryListener(new LostLines());
        }
    }

    /** A line with what belongs before it. */
    byte[] with(byte[] line) {
        if (failing) {
            own.opening();
        }
        String before = own.before(line);
        if (before.isEmpty()) {
            return line;
        }
        byte[] lines = Arrays.copyOf(before.getBytes(ISO_8859_1), before.length() + line.length);
        System.arraycopy(line, 0, lines, before.length(), line.length);
        return lines;
    }

    /** Ends the sessions of a stream that is about to be closed. */
    void close(Sink sink) {
        byte[] closing = own.closing().getBytes(ISO_8859_1);
        if (closing.length == 0) {
            return;
        }
        try {
            sink.write(closing);
        } catch (IOException error) {
            appender.addError("the end of a log session was not written", error);
        }
    }

    /** Encodes and writes a line while no file is closed. */
    void writing(Line line) throws IOException {
        writing.readLock().lock();
        try {
            line.write();
        } finally {
            writing.readLock().unlock();
        }
    }

    /**
     * Closes a file when the lines on their way are in it. Should one of them not come, the file is closed
     * nevertheless; the line stands in the next file then, with its header.
     */
    void closing(Runnable close) {
        boolean alone = waitForLines();
        try {
            close.run();
        } finally {
            if (alone) {
                writing.writeLock().unlock();
            }
        }
    }

    private boolean waitForLines() {
        boolean interrupted = Thread.interrupted();
        try {
            return writing.writeLock().tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException error) {
            interrupted = true;
            return writing.writeLock().tryLock();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The stream that Logback writes to drops lines from a failure on until it has opened the file again. */
    private final class LostLines implements RecoveryListener {
        @Override
        public void newFailure(IOException error) {
            failing = true;
        }

        /** Called when it has written again, or only flushed: then the line before is lost. */
        @Override
        public void recoveryOccured() {
            failing = false;
            own.opening();
        }
    }

    /** Where lines go. */
    interface Sink {
        void write(byte[] lines) throws IOException;
    }

    /** A line that is encoded and written. */
    interface Line {
        void write() throws IOException;
    }
}
