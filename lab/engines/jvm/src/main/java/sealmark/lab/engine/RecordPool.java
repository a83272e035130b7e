package sealmark.lab.engine;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;

/** Threads that exist before the clock starts, and do their part of a span at once. They end when the pool is closed. */
final class RecordPool implements AutoCloseable {
    /** The last task of each thread, which ends it. */
    private static final Runnable HOME = () -> {};

    private final List<BlockingQueue<Runnable>> queues = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    RecordPool(int size, boolean virtual) throws Trouble {
        for (int number = 0; number < size; number++) {
            BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
            queues.add(queue);
            if (virtual) {
                startVirtual(() -> work(queue));
            } else {
                start(() -> work(queue), number);
            }
        }
    }

    int size() {
        return queues.size();
    }

    /** The system's threads: none where they are virtual. */
    List<Thread> threads() {
        return threads;
    }

    /** Has every thread do its part, by its number, and waits for all of them; the first that failed is thrown. */
    void all(Part part) throws Exception {
        first(size(), part);
    }

    /** The same with the first so many threads; the others are not woken. */
    void first(int many, Part part) throws Exception {
        CountDownLatch atWork = new CountDownLatch(many);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int number = 0; number < many; number++) {
            int own = number;
            queues.get(number).add(() -> {
                try {
                    part.work(own);
                } catch (Throwable error) {
                    failure.compareAndSet(null, error);
                } finally {
                    atWork.countDown();
                }
            });
        }
        atWork.await();
        rethrow(failure.get());
    }

    private static void rethrow(Throwable failure) throws Exception {
        if (failure instanceof Error) {
            throw (Error) failure;
        }
        if (failure != null) {
            throw (Exception) failure;
        }
    }

    @Override
    public void close() {
        queues.forEach(queue -> queue.add(HOME));
    }

    private static void work(BlockingQueue<Runnable> parts) {
        try {
            for (Runnable part = parts.take(); part != HOME; part = parts.take()) {
                part.run();
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    private void start(Runnable work, int number) {
        Thread thread = new Thread(work, "pool " + number);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** By name, because this program is compiled for JVMs that have none. */
    private static void startVirtual(Runnable work) throws Trouble {
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        } catch (NoSuchMethodException | IllegalAccessException error) {
            throw Trouble.unsupported("this JVM has no virtual threads");
        } catch (InvocationTargetException error) {
            throw Trouble.unsupported("this JVM starts no virtual threads: " + error.getCause());
        }
    }

    /** The work of one thread in a span. */
    interface Part {
        void work(int number) throws Exception;
    }
}
