package sealmark.logback;

import ch.qos.logback.core.ConsoleAppender;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Logback's {@link ConsoleAppender} for lines with tokens. It takes the same configuration, and writes the
 * headers that readers need.
 *
 * <pre>{@code
 * <appender name="CONSOLE" class="sealmark.logback.SealedConsoleAppender">
 *   <encoder><pattern>%d %-5level %sealed(%msg){message}%n%sealedEx</pattern></encoder>
 * </appender>
 * }</pre>
 *
 * @param <E> the type of the logged events
 */
public class SealedConsoleAppender<E> extends ConsoleAppender<E> implements SealedAppender<E> {
    private final SealedLines<E> lines = new SealedLines<>(
            this, streamWriteLock, this::writeByteArrayToOutputStreamWithPossibleFlush, this::updateByteCount);

    /** An appender that has no encoder yet. */
    public SealedConsoleAppender() {}

    @Override
    @SuppressWarnings("exports")
    public SealedLines<E> lines() {
        return lines;
    }

    @Override
    public void start() {
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
