package sealmark.lab.engine;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;

/** What the JVM counts of itself over a span; apart, because a JRE may come without java.management. */
final class Management {
    private static final long NANOSECONDS_A_MILLISECOND = 1_000_000;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final long thread = Thread.currentThread().getId();
    private final long collecting = collecting();
    private final long allocated = threads.getThreadAllocatedBytes(thread);
    private final long cpu = threads.getCurrentThreadCpuTime();

    private Management() {}

    static Management orNull() {
        try {
            return new Management();
        } catch (LinkageError | ClassCastException | UnsupportedOperationException error) {
            return null;
        }
    }

    /** CPU time of the calling thread since this was made. */
    long cpu() {
        return threads.getCurrentThreadCpuTime() - cpu;
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
