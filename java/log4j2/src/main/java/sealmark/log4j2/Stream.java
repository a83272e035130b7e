package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.logging.log4j.core.appender.OutputStreamManager;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.apache.logging.log4j.core.appender.rolling.RolloverListener;
import org.apache.logging.log4j.core.layout.ByteBufferDestination;
import sealmark.log.OwnLines;
import sealmark.log.Shape;

/**
 * What a file or another stream has of sessions.
 *
 * <p>It belongs to Log4j's manager and to no layout: when the configuration is read again, the manager goes on, records
 * come from a new layout, and the footer is still asked of the old one.
 */
final class Stream {
    private static final Map<ByteBufferDestination, Stream> STREAMS = new WeakHashMap<>();

    final OwnLines own;
    private LineBuffer free = new LineBuffer();

    private Stream(Shape shape) {
        own = new OwnLines(shape);
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
            rolling.addRolloverListener(new EachFile(rolling, stream.own));
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

    /** Room for a record; under the manager's lock. */
    LineBuffer take() {
        // None is free where what is logged logs.
        LineBuffer taken = free == null ? new LineBuffer() : free;
        free = null;
        taken.clear();
        return taken;
    }

    /** It is needed no more; under the manager's lock. */
    void give(LineBuffer taken) {
        free = taken;
    }

    /** A file that is rolled over ends its sessions, so that it stands alone; called under the manager's lock. */
    private record EachFile(RollingFileManager manager, OwnLines own) implements RolloverListener {
        @Override
        public void rolloverTriggered(String file) {
            byte[] lines = own.closing().getBytes(US_ASCII);
            manager.writeBytes(lines, 0, lines.length);
        }

        @Override
        public void rolloverComplete(String file) {
            own.opening();
        }
    }
}
