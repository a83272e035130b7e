package sealmark.lab.engine.tls;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads of one end. They exist before a span and outlive it, so that none is made in it. */
final class Pool implements AutoCloseable {
    private final List<Thread> threads = new ArrayList<>();
    private final ThreadPoolExecutor pool;
    private final int size;

    Pool(String name, int size) {
        this.size = size;
        pool = new ThreadPoolExecutor(size, size, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                task -> newThread(task, name));
        pool.prestartAllCoreThreads();
    }

    private Thread newThread(Runnable task, String name) {
        Thread thread = new Thread(task, name + " " + threads.size());
        thread.setDaemon(true);
        threads.add(thread);
        return thread;
    }

    /** One task for each thread. */
    List<Future<?>> all(Callable<?> task) {
        List<Future<?>> futures = new ArrayList<>();
        for (int number = 0; number < size; number++) {
            futures.add(pool.submit(task));
        }
        return futures;
    }

    /** CPU time and bytes allocated of all threads so far; zeroes where the JVM does not count them. */
    long[] spent() {
        long[] spent = new long[2];
        try {
            com.sun.management.ThreadMXBean bean = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            for (Thread thread : threads) {
                spent[0] += Math.max(0, bean.getThreadCpuTime(thread.getId()));
                spent[1] += Math.max(0, bean.getThreadAllocatedBytes(thread.getId()));
            }
        } catch (LinkageError | ClassCastException | UnsupportedOperationException error) {
            // A JRE may come without java.management: then the answer says nothing of it.
            return new long[2];
        }
        return spent;
    }

    @Override
    public void close() {
        pool.shutdownNow();
        try {
            pool.awaitTermination(Sockets.PATIENCE, TimeUnit.MILLISECONDS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }
}
