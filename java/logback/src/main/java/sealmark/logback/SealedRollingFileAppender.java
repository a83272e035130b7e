package sealmark.logback;

import ch.qos.logback.core.rolling.RollingFileAppender;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Logback's {@link RollingFileAppender} for lines with tokens. It takes the same configuration, and writes the
 * headers that readers need. Sessions end
 * with a file, so that each file can be opened and verified alone.
 *
 * <pre>{@code
 * <appender name="FILE" class="sealmark.logback.SealedRollingFileAppender">
 *   <file>app.log</file>
 *   <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
 *     <fileNamePattern>app.%d.log</fileNamePattern>
 *   </rollingPolicy>
 *   <encoder><pattern>%d %-5level %sealed(%msg){message}%n%sealedEx</pattern></encoder>
 * </appender>
 * }</pre>
 *
 * <p>{@link sealmark.log.Sealed} arguments behind an {@code AsyncAppender} are sealed before their event reaches this
 * appender, which may be after the file of their session was closed. They are then in the next file, with their header;
 * verify such files together.
 *
 * @param <E> the type of the logged events
 */
public class SealedRollingFileAppender<E> extends RollingFileAppender<E> implements SealedAppender<E> {
    private final SealedLines<E> lines = new SealedLines<>(
            this, streamWriteLock, this::writeByteArrayToOutputStreamWithPossibleFlush, this::updateByteCount);

    /** An appender that has no encoder yet. */
    public SealedRollingFileAppender() {}

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
    public void rollover() {
        lines.closing(super::rollover);
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
