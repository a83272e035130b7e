package sealmark.lab.engine;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.List;

/** Bytes that the threads of a pool have allocated; apart, because a JRE may come without java.management. */
final class Allocations {
    private final com.sun.management.ThreadMXBean bean =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final long[] ids;
    private final Method total;

    private Allocations(List<Thread> threads) throws NoSuchMethodException {
        ids = threads.stream().mapToLong(Thread::getId).toArray();
        total = ids.length > 0 ? null : com.sun.management.ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes");
    }

    /** Counts for these threads. Virtual ones, an empty list, are known only as a sum over the whole JVM. */
    static Allocations orNull(List<Thread> threads) {
        try {
            return new Allocations(threads);
        } catch (LinkageError | ClassCastException | UnsupportedOperationException | NoSuchMethodException error) {
            return null;
        }
    }

    /** So far; without those of the calling thread, which works for no pool. */
    long soFar() throws ReflectiveOperationException {
        if (total != null) {
            return (Long) total.invoke(bean) - bean.getThreadAllocatedBytes(Thread.currentThread().getId());
        }
        long sum = 0;
        for (long bytes : bean.getThreadAllocatedBytes(ids)) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }
}
