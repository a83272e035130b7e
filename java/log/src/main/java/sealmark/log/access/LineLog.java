package sealmark.log.access;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import sealmark.log.LogSealer;
import sealmark.log.SessionLines;
import sealmark.log.Shape;

/**
 * Writes the lines of an access log, each after the headers that it needs, to a server's own writer. Lines are sealed and
 * written one at a time, so that no file ends while a line of its session is on the way.
 */
public final class LineLog {
    private final ReentrantLock lock = new ReentrantLock();
    private final SessionLines own = new SessionLines(Shape.PLAIN);
    private final Supplier<LogSealer> sealer;
    private final Writer writer;
    private final Supplier<?> file;
    private Object lastFile;
    /** Lines may be missing, and a header among them. */
    private boolean isUnsure = true;
    private boolean isClosed;

    /** Writes a line without its end. */
    public interface Writer {
        /**
         * Writes a line.
         *
         * @param line has no line feed at its end
         * @throws IOException if it is not written
         */
        void write(String line) throws IOException;
    }

    /**
     * A log that begins.
     *
     * @param sealer of the log
     * @param writer that of the server
     * @param file tells one file from the next after a roll-over; gives null if that is unknown
     */
    public LineLog(Supplier<LogSealer> sealer, Writer writer, Supplier<?> file) {
        this.sealer = sealer;
        this.writer = writer;
        this.file = file;
    }

    /**
     * Seals and writes a line. After {@link #close}, lines are dropped, as by a server's own writer that was stopped.
     *
     * @param line makes it, with the values sealed
     * @throws IOException if the server's writer fails; the next line has its header again
     */
    public void write(Supplier<String> line) throws IOException {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            Object now = file.get();
            if (lastFile != null && !Objects.equals(now, lastFile)) {
                writeAll(own.closing());
                isUnsure = true;
            }
            lastFile = now;
            String safe = own.withoutLookalikes(sealer.get(), own.format(line));
            if (isUnsure) {
                writeAll(own.before(""));
                own.opening();
            }
            isUnsure = true;
            writeAll(own.before(safe));
            writer.write(safe);
            isUnsure = false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the log, and the sessions of its values.
     *
     * @throws IOException if the closing tokens are not written
     */
    public void close() throws IOException {
        lock.lock();
        try {
            isClosed = true;
            writeAll(own.closing());
        } finally {
            lock.unlock();
        }
    }

    private void writeAll(String lines) throws IOException {
        for (String line : lines.lines().toList()) {
            writer.write(line);
        }
    }
}
