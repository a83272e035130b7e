package sealmark.lab.engine.tls;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import sealmark.lab.engine.Trouble;

/** A job with sockets between the ends: two pools, a listener for each span, and the first failure of either end. */
abstract class SocketWork extends TlsWork {
    /** In nanoseconds. */
    private static final long MOST_AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(2 * Sockets.PATIENCE);

    final Sockets sockets;
    private Pool clients;
    private Pool servers;
    private final AtomicReference<Trouble> failure = new AtomicReference<>();
    private volatile long failedAt = Long.MAX_VALUE;
    private ServerSocket listener;

    SocketWork(Ends ends) {
        super(ends);
        sockets = new Sockets(ends.job.transport);
    }

    /** Last of all that a job makes, for nobody would end the threads of one that was never made. */
    final void startThreads() {
        try {
            clients = new Pool("client", ends.job.concurrency);
            servers = new Pool("server", ends.job.concurrency);
        } catch (Throwable error) {
            close();
            throw error;
        }
    }

    @Override
    public final String code() {
        return ends.library.code + ", SSLSocket";
    }

    @Override
    final void time(boolean second, long first, long count, Span span) throws Exception {
        failure.set(null);
        try (ServerSocket fresh = ends.job.peer == Peer.WORKS ? ends.listen() : Faults.listen()) {
            listener = fresh;
            timeWith(second, first, count, span);
        }
    }

    abstract void timeWith(boolean second, long first, long count, Span span) throws Exception;

    /** An end that fails takes its connections with it where the other would wait for nothing. */
    void abort() throws IOException {}

    final ServerSocket listener() {
        return listener;
    }

    final boolean hasFailed() {
        return failure.get() != null;
    }

    /** Both pools at work, from the moment when all of them are ready until the last is done. */
    final void together(Callable<?> client, Callable<?> server, Span span) throws Exception {
        CountDownLatch ready = new CountDownLatch(2 * ends.job.concurrency);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<?>> all = new ArrayList<>(servers.all(() -> await(ready, go, "server", server)));
        all.addAll(clients.all(() -> await(ready, go, "client", client)));
        ready.await();
        long[] clientBefore = clients.spent();
        long[] serverBefore = servers.spent();
        if (span != null) {
            span.meter.start();
        }
        go.countDown();
        for (Future<?> one : all) {
            join(one);
        }
        if (span != null) {
            span.meter.stop();
            report(span, clientBefore, serverBefore);
        }
        if (hasFailed()) {
            throw failure.get();
        }
    }

    /** Nobody writes under a limit: where one end has failed, the other is not waited for without one. */
    private void join(Future<?> one) throws Exception {
        while (true) {
            try {
                one.get(Sockets.PATIENCE, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException stillAtWork) {
                if (hasFailed() && System.nanoTime() - failedAt > MOST_AFTER_FAILURE) {
                    throw failure.get();
                }
            }
        }
    }

    private void report(Span span, long[] clientBefore, long[] serverBefore) {
        long[] client = clients.spent();
        long[] server = servers.spent();
        if (client[0] > 0) {
            span.cpu(client[0] - clientBefore[0], server[0] - serverBefore[0]);
        }
        span.allocatedElsewhere(client[1] - clientBefore[1] + server[1] - serverBefore[1]);
    }

    private Void await(CountDownLatch ready, CountDownLatch go, String end, Callable<?> work) throws InterruptedException {
        ready.countDown();
        go.await();
        try {
            work.call();
        } catch (Throwable error) {
            fail(end, error);
        }
        return null;
    }

    /** The first failure counts, for the other end's is mostly what comes of it. No one waits for a client then. */
    private void fail(String end, Throwable error) {
        if (failure.compareAndSet(null, trouble(end, error))) {
            failedAt = System.nanoTime();
        }
        try {
            abort();
        } catch (IOException again) {
            error.addSuppressed(again);
        }
        try {
            listener.close();
        } catch (IOException again) {
            error.addSuppressed(again);
        }
    }

    private static Trouble trouble(String end, Throwable error) {
        for (Throwable at = error; at != null; at = at.getCause()) {
            if (at instanceof SocketTimeoutException) {
                return Trouble.failed("the " + end + " waited for " + Sockets.PATIENCE / 1000 + " s: " + error.getMessage());
            }
        }
        return Trouble.failed("the " + end + ": " + Trouble.of(error, false).getMessage());
    }

    @Override
    public void close() {
        for (Pool pool : new Pool[] {clients, servers}) {
            if (pool != null) {
                pool.close();
            }
        }
    }
}
