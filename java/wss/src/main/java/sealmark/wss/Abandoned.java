package sealmark.wss;

import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files and keys of a stream. If nobody closes the stream, they go when it was collected and another stream is made; JDK 8
 * would keep an open file for ever.
 */
final class Abandoned extends PhantomReference<Object> implements Closeable {
    private static final ReferenceQueue<Object> COLLECTED = new ReferenceQueue<>();
    /** A reference that is not reachable is never enqueued. */
    private static final Set<Abandoned> ALL = ConcurrentHashMap.newKeySet();

    private final List<Closeable> resources = new ArrayList<>();
    private boolean isClosed;

    private Abandoned(Object owner) {
        super(owner, COLLECTED);
    }

    static Abandoned watch(Object owner) {
        for (Object gone = COLLECTED.poll(); gone != null; gone = COLLECTED.poll()) {
            try {
                ((Abandoned) gone).close();
            } catch (IOException ignored) {
                // Its stream is gone, so that nobody could do anything about it.
            }
        }
        Abandoned watched = new Abandoned(owner);
        ALL.add(watched);
        return watched;
    }

    /** The streams that were neither closed nor found to be collected. */
    static int watched() {
        return ALL.size();
    }

    /**
     * Takes a resource, which must not refer to the owner. A resource that comes after the end is closed at once, because
     * nobody would close it later.
     */
    synchronized void add(Closeable resource) {
        if (isClosed) {
            IllegalStateException late = new IllegalStateException("the payload is closed");
            Payload.closeAfter(late, resource);
            throw late;
        }
        resources.add(resource);
    }

    @Override
    public synchronized void close() throws IOException {
        if (isClosed) {
            return;
        }
        isClosed = true;
        ALL.remove(this);
        IOException first = null;
        for (Closeable resource : resources) {
            try {
                resource.close();
            } catch (IOException error) {
                first = first == null ? error : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
