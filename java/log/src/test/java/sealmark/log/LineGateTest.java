package sealmark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LineGateTest {
    /** A read lock of the JDK's counts 65,535 at most. */
    private static final int MANY = 70_000;

    private final LineGate gate = new LineGate();

    @Test
    void anyNumberOfLinesIsInside() {
        for (int line = 0; line < MANY; line++) {
            gate.enter(false);
        }
        for (int line = 0; line < MANY; line++) {
            gate.leave();
        }
        assertTrue(gate.close(0));
        gate.open();
    }

    @Test
    void anyNumberOfVirtualThreadsIsInside() throws Exception {
        CountDownLatch inside = new CountDownLatch(MANY);
        CountDownLatch go = new CountDownLatch(1);
        ExecutorService threads = virtualThreads();
        for (int thread = 0; thread < MANY; thread++) {
            threads.execute(() -> {
                gate.enter(false);
                inside.countDown();
                waitFor(go);
                gate.leave();
            });
        }
        assertTrue(inside.await(30, TimeUnit.SECONDS), () -> inside.getCount() + " are not inside");
        AtomicBoolean isClosed = new AtomicBoolean();
        Thread closing = new Thread(() -> isClosed.set(gate.close(0)));
        closing.start();
        go.countDown();
        closing.join();
        threads.shutdown();
        assertTrue(threads.awaitTermination(30, TimeUnit.SECONDS));
        assertTrue(isClosed.get());
    }

    @Test
    void noLineIsInsideWhileTheFileIsClosed() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        int met = 0;
        AtomicBoolean isDone = new AtomicBoolean();
        Thread[] lines = new Thread[4];
        for (int at = 0; at < lines.length; at++) {
            lines[at] = new Thread(() -> {
                while (!isDone.get()) {
                    gate.enter(false);
                    inside.incrementAndGet();
                    inside.decrementAndGet();
                    gate.leave();
                }
            });
            lines[at].start();
        }
        for (int file = 0; file < 2_000; file++) {
            assertTrue(gate.close(0));
            met += inside.get();
            Thread.onSpinWait();
            met += inside.get();
            gate.open();
        }
        isDone.set(true);
        for (Thread thread : lines) {
            thread.join();
        }
        assertEquals(0, met);
    }

    @Test
    void aFileIsClosedThoughALineDoesNotCome() {
        gate.enter(false);
        long before = System.nanoTime();
        assertTrue(gate.close(0));
        long waited = System.nanoTime() - before;
        assertTrue(waited >= Duration.ofMillis(900).toNanos() && waited < Duration.ofSeconds(9).toNanos(), waited + " ns");
        gate.open();
    }

    @Test
    void whoClosesAndWhoIsInsideAlreadyAreNotKeptOut() throws Exception {
        gate.enter(false);
        long before = System.nanoTime();
        assertTrue(gate.close(1));
        assertFalse(gate.close(1), "closed by this thread before");
        gate.enter(false);
        gate.leave();
        Thread nested = new Thread(() -> {
            gate.enter(true);
            gate.leave();
        });
        nested.start();
        nested.join();
        assertTrue(System.nanoTime() - before < Duration.ofMillis(900).toNanos(), "somebody waited");
        gate.open();
        gate.leave();
    }

    @Test
    void anInterruptIsForThoseWhoComeAfter() {
        gate.enter(false);
        Thread.currentThread().interrupt();
        assertTrue(gate.close(0));
        assertTrue(Thread.interrupted());
        gate.open();
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupt) {
            throw new AssertionError(interrupt);
        }
    }

    private static ExecutorService virtualThreads() {
        try {
            Method method = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
            return (ExecutorService) method.invoke(null);
        } catch (NoSuchMethodException error) {
            return Assumptions.abort("this Java has no virtual threads");
        } catch (ReflectiveOperationException error) {
            throw new LinkageError(error.getMessage(), error);
        }
    }
}
