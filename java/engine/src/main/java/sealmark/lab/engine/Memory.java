package sealmark.lab.engine;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;

/** What the JVM's memory manager counts; apart, because a JRE may come without java.management. */
final class Memory {
    private static final long NANOSECONDS_A_MILLISECOND = 1_000_000;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final long thread = Thread.currentThread().getId();
    private final long collecting = collecting();
    private final long allocated = threads.getThreadAllocatedBytes(thread);

    private Memory() {}

    static Memory orNull() {
        try {
            return new Memory();
        } catch (LinkageError | ClassCastException | UnsupportedOperationException error) {
            return null;
        }
    }

    void report(Map<String, Object> measured) {
        measured.put("allocated_bytes", threads.getThreadAllocatedBytes(thread) - allocated);
        measured.put("gc_ns", collecting() - collecting);
    }

    private static long collecting() {
        long milliseconds = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            milliseconds += Math.max(0, collector.getCollectionTime());
        }
        return milliseconds * NANOSECONDS_A_MILLISECOND;
    }
}
