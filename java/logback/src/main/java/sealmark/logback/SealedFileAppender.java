package sealmark.logback;

import ch.qos.logback.core.FileAppender;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Logback's {@link FileAppender} for lines with tokens. It takes the same configuration, and writes the
 * headers that readers need. When it stops, it ends the
 * sessions that the file has values of.
 *
 * <pre>{@code
 * <appender name="FILE" class="sealmark.logback.SealedFileAppender">
 *   <file>app.log</file>
 *   <encoder><pattern>%d %-5level %sealed(%msg){message}%n%sealedEx</pattern></encoder>
 * </appender>
 * }</pre>
 *
 * @param <E> the type of the logged events
 */
public class SealedFileAppender<E> extends FileAppender<E> {
    private final SealedLines<E> lines = new SealedLines<>(
            this, streamWriteLock, this::writeByteArrayToOutputStreamWithPossibleFlush, this::updateByteCount);

    /** An appender that has no encoder yet. */
    public SealedFileAppender() {}

    /**
     * Chooses the shape of headers and closing tokens.
     *
     * @param shape {@code PLAIN} or {@code JSON}; by default JSON if the encoder's class name contains it
     */
    public void setShape(String shape) {
        lines.setShape(shape);
    }

    /**
     * Names conversion words that may write in the clear; the appender warns of all others that seal nothing.
     *
     * @param words for example {@code msg, mdc{traceId}}
     */
    public void setClear(String words) {
        lines.setClear(words);
    }

    /**
     * Seals values by name before the encoder sees them.
     *
     * @param events null, which is the default, if only the encoder seals
     */
    public void setEvents(SealedEvents events) {
        lines.setEvents(events);
    }

    /**
     * Installs a sealer as long as this appender runs.
     *
     * @param sealer must be started before this appender, and is stopped with it
     */
    public void setSealer(SealerConfig sealer) {
        lines.setSealer(sealer);
    }

    @Override
    public void start() {
        if (isPrudent()) {
            SealedLines.refusePrudent(this);
            return;
        }
        if (lines.begin(getEncoder())) {
            super.start();
        }
    }

    @Override
    public void stop() {
        lines.stop(super::stop);
    }

    @Override
    public void setOutputStream(OutputStream stream) {
        lines.open(stream, () -> super.setOutputStream(stream));
    }

    @Override
    protected void closeOutputStream() {
        lines.close();
        super.closeOutputStream();
    }

    @Override
    protected void append(E event) {
        super.append(lines.unprepared(event));
    }

    @Override
    protected void writeOut(E event) throws IOException {
        lines.write(event);
    }
}
