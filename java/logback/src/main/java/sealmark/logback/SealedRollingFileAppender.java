package sealmark.logback;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.RollingFileAppender;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Logback's {@link RollingFileAppender} for lines with tokens: it takes the same configuration, and writes before a
 * line what readers need to open it. Sessions end with a file, so that each can be opened and verified alone.
 *
 * <p>A value that was sealed before its event came here, as arguments {@link sealmark.log.Sealed} are by an {@code
 * AsyncAppender} or another appender, may come after the file of its session was closed. It stands in the next one
 * then, with its header; such files are verified together.
 *
 * @param <E> what is logged
 */
public class SealedRollingFileAppender<E> extends RollingFileAppender<E> {
    private final SealedLines lines = new SealedLines(this);
    private SealerConfig sealer;

    /** An appender that has no encoder yet. */
    public SealedRollingFileAppender() {}

    /**
     * How header lines and closing tokens look.
     *
     * @param shape {@code PLAIN} or {@code JSON}; if nobody calls this, JSON where the encoder's name tells that
     */
    public void setShape(String shape) {
        lines.setShape(shape);
    }

    /**
     * Installs a sealer as long as this appender runs.
     *
     * @param sealer is started before, and stopped with this appender
     */
    public void setSealer(SealerConfig sealer) {
        this.sealer = sealer;
    }

    @Override
    public void start() {
        if (isPrudent()) {
            addError("a log with sealed values has one writer, so that \"prudent\" is refused\n"
                    + "hint: a file for each process");
            return;
        }
        if (lines.begin(getEncoder())) {
            super.start();
        }
    }

    @Override
    public void stop() {
        lines.closing(super::stop);
        if (sealer != null) {
            sealer.stop();
        }
    }

    @Override
    public void rollover() {
        lines.closing(super::rollover);
    }

    @Override
    public void setOutputStream(OutputStream stream) {
        streamWriteLock.lock();
        try {
            super.setOutputStream(stream);
            lines.opened(stream);
        } finally {
            streamWriteLock.unlock();
        }
    }

    @Override
    protected void closeOutputStream() {
        if (isStarted() && getOutputStream() != null) {
            lines.close(this::writeByteArrayToOutputStreamWithPossibleFlush);
        }
        super.closeOutputStream();
    }

    /** The message, with the values sealed in it, is made when the file is sure to wait for the line. */
    @Override
    @SuppressWarnings("unchecked")
    protected void append(E event) {
        super.append(event instanceof ILoggingEvent original ? (E) new UnpreparedEvent(original) : event);
    }

    @Override
    protected void writeOut(E event) throws IOException {
        lines.writing(() -> {
            byte[] line = isStarted() ? encoder.encode(prepared(event)) : null;
            if (line != null && line.length > 0) {
                write(line);
            }
        });
    }

    @SuppressWarnings("unchecked")
    private E prepared(E event) {
        if (!(event instanceof UnpreparedEvent unprepared)) {
            return event;
        }
        unprepared.original.prepareForDeferredProcessing();
        return (E) unprepared.original;
    }

    private void write(byte[] line) throws IOException {
        streamWriteLock.lock();
        try {
            if (isStarted()) {
                byte[] all = lines.with(line);
                writeByteArrayToOutputStreamWithPossibleFlush(all);
                updateByteCount(all);
            }
        } finally {
            streamWriteLock.unlock();
        }
    }

    /** Logback prepares events between its check for roll-over and the encoder. */
    private static final class UnpreparedEvent extends PassedEvent {
        private UnpreparedEvent(ILoggingEvent original) {
            super(original);
        }

        @Override
        public void prepareForDeferredProcessing() {
            // It is done later.
        }
    }
}
