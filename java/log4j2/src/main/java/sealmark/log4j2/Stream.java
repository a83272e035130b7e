package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.logging.log4j.core.appender.FileManager;
import org.apache.logging.log4j.core.appender.MemoryMappedFileManager;
import org.apache.logging.log4j.core.appender.OutputStreamManager;
import org.apache.logging.log4j.core.appender.RandomAccessFileManager;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.apache.logging.log4j.core.appender.rolling.RolloverListener;
import org.apache.logging.log4j.core.layout.ByteBufferDestination;
import org.apache.logging.log4j.spi.AbstractLogger;
import sealmark.log.LineGate;
import sealmark.log.Sealers;
import sealmark.log.SessionLines;
import sealmark.log.Shape;

/**
 * The sessions that a file or another stream has headers of.
 *
 * <p>It belongs to Log4j's manager and to no layout: when the configuration is read again, the manager goes on, records
 * come from a new layout, and the footer is still asked of the old one.
 */
final class Stream {
    /** The number of buffers that are kept for records which are laid out at once. */
    private static final int MOST_FREE = 16;
    private static final Map<ByteBufferDestination, Stream> STREAMS = new WeakHashMap<>();

    private final SessionLines own;
    private final LineGate gate = new LineGate();
    /** Records that wait to be written. */
    private final Set<LineBuffer> laidOut = ConcurrentHashMap.newKeySet();
    private final Queue<LineBuffer> free = new ArrayBlockingQueue<>(MOST_FREE);
    /** Nothing was written since it was opened; guarded by the manager's lock. */
    private boolean isNew = true;

    private Stream(Shape shape) {
        own = new SessionLines(shape);
    }

    /**
     * That of a manager.
     *
     * @param shape is what the first layout said that wrote to it
     */
    static Stream of(ByteBufferDestination manager, Shape shape) {
        synchronized (STREAMS) {
            return STREAMS.computeIfAbsent(manager, unknown -> begin(manager, shape));
        }
    }

    private static Stream begin(ByteBufferDestination manager, Shape shape) {
        Stream stream = new Stream(shape);
        if (manager instanceof RollingFileManager rolling) {
            rolling.addRolloverListener(new EachFile(rolling, stream));
        }
        return stream;
    }

    /** The closing tokens of managers that nobody uses any more: one of them asks for its footer. */
    static String closingOfReleased() {
        List<Stream> released = new ArrayList<>();
        synchronized (STREAMS) {
            STREAMS.entrySet().removeIf(entry -> {
                boolean isReleased = entry.getKey() instanceof OutputStreamManager manager && !manager.isOpen();
                return isReleased && released.add(entry.getValue());
            });
        }
        StringBuilder lines = new StringBuilder();
        released.forEach(stream -> lines.append(stream.own.closing()));
        return lines.toString();
    }

    /**
     * Prepares a message for all appenders, lays out a record and writes it. Laying out calls the application, and holds no
     * lock; writing holds the manager's. The thread that holds that one to close the file writes the records that others have
     * laid out, because they cannot.
     */
    void write(ByteBufferDestination manager, Runnable prepare, Consumer<ByteBufferDestination> layout) {
        LineBuffer used = free.poll();
        LineBuffer line = used == null ? new LineBuffer() : used;
        try {
            layOut(line, prepare, layout);
            synchronized (manager) {
                writeOnce(manager, line);
                if (line.error != null) {
                    throw line.error;
                }
            }
        } finally {
            line.clear();
            free.offer(line);
        }
    }

    private void layOut(LineBuffer line, Runnable prepare, Consumer<ByteBufferDestination> layout) {
        gate.enter(outerRecords() > 0);
        try {
            prepare.run();
            own.format(() -> {
                layout.accept(line);
                return line;
            });
            laidOut.add(line);
        } finally {
            gate.leave();
        }
    }

    /** The number of records that this thread is laying out besides, because an object that is logged logs itself. */
    private static int outerRecords() {
        return Math.max(0, AbstractLogger.getRecursionDepth() - 1);
    }

    private void writeOnce(ByteBufferDestination manager, LineBuffer line) {
        if (laidOut.remove(line)) {
            write(manager, line);
        }
    }

    private void write(ByteBufferDestination manager, LineBuffer record) {
        try {
            String first = isNew ? opening(manager) : "";
            // Until it is written: who knows what the file has of it, and the next record brings the header again.
            isNew = true;
            // A character for each byte: a token's are ASCII, and the JVM looks through a string sixteen or more at a time.
            String text = new String(record.bytes(), 0, record.length(), ISO_8859_1);
            String sealed = own.withoutLookalikes(Sealers.find(Sealers.DEFAULT), text);
            String before = first + own.before(sealed);
            if (!before.isEmpty()) {
                manager.writeBytes(before.getBytes(ISO_8859_1), 0, before.length());
                flush(manager);
            }
            if (sealed.equals(text)) {
                manager.writeBytes(record.bytes(), 0, record.length());
            } else {
                manager.writeBytes(sealed.getBytes(ISO_8859_1), 0, sealed.length());
            }
            isNew = false;
        } catch (RuntimeException error) {
            record.error = error;
        }
    }

    /** Log4j has a buffer, and drops what is in it where it cannot be written: a header is not left there. */
    private static void flush(ByteBufferDestination manager) {
        if (manager instanceof OutputStreamManager stream) {
            stream.flush();
        }
    }

    /** The text to write first. */
    private String opening(ByteBufferDestination manager) {
        if (manager instanceof MemoryMappedFileManager mapped) {
            Path file = Path.of(mapped.getFileName());
            // It is longer already, by what is mapped of it.
            return own.opening(file, file.toFile().length() - mapped.getRegionLength());
        }
        if (manager instanceof RandomAccessFileManager file) {
            return own.opening(Path.of(file.getFileName()));
        }
        if (manager instanceof FileManager file) {
            return own.opening(Path.of(file.getFileName()));
        }
        own.opening();
        return "";
    }

    /** Writes the records on their way and ends the sessions; gives what is to be written then. */
    String closing(ByteBufferDestination manager) {
        synchronized (manager) {
            gate.close(outerRecords());
            try {
                laidOut.forEach(line -> writeOnce(manager, line));
                return own.closing();
            } finally {
                gate.open();
            }
        }
    }

    /** A file that is rolled over ends its sessions, so that it stands alone; called under the manager's lock. */
    private record EachFile(RollingFileManager manager, Stream stream) implements RolloverListener {
        @Override
        public void rolloverTriggered(String file) {
            byte[] closing = stream.closing(manager).getBytes(ISO_8859_1);
            manager.writeBytes(closing, 0, closing.length);
        }

        @Override
        public void rolloverComplete(String file) {
            stream.isNew = true;
        }
    }
}
