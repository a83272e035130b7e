package sealmark.logback;

import ch.qos.logback.core.FileAppender;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Logback's {@link FileAppender} for lines with tokens: it takes the same configuration, and writes before a line what
 * readers need to open it. When it stops, it ends the sessions that the file has values of.
 *
 * @param <E> what is logged
 */
public class SealedFileAppender<E> extends FileAppender<E> {
    private final SealedLines lines = new SealedLines(this);
    private SealerConfig sealer;

    /** An appender that has no encoder yet. */
    public SealedFileAppender() {}

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

    @Override
    protected void writeOut(E event) throws IOException {
        lines.writing(() -> {
            byte[] line = isStarted() ? encoder.encode(event) : null;
            if (line != null && line.length > 0) {
                write(line);
            }
        });
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
}
