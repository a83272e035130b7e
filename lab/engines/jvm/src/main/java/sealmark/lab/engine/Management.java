package sealmark.lab.engine;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;

/** Counters of the JVM over a span. They have a class of their own because a JRE may come without java.management. */
final class Management {
    private static final long NANOSECONDS_A_MILLISECOND = 1_000_000;
    private static final long BYTES_A_MEBIBYTE = 1 << 20;

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

    /** The JVM, the mode of its compiler, its collectors, the largest heap and its options, without names of files. */
    static String runtime() {
        StringBuilder told = new StringBuilder(System.getProperty("java.vm.name"));
        told.append(' ').append(System.getProperty("java.vm.version")).append(", ").append(System.getProperty("java.vm.info"));
        told.append(", heap of at most ").append(Runtime.getRuntime().maxMemory() / BYTES_A_MEBIBYTE).append(" MiB");
        try {
            for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
                told.append(", ").append(collector.getName());
            }
            for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
                told.append(option.startsWith("-D") ? "" : ", " + option);
            }
        } catch (LinkageError error) {
            told.append(", options unknown: without java.management");
        }
        return told.toString();
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
