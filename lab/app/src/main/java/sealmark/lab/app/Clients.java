package sealmark.lab.app;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The clients, each with a connection and a thread of its own, which exist before the span and after it. */
final class Clients implements AutoCloseable {
    private final ExecutorService threads;
    private final List<Client> clients = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();

    Clients(int port, int connections) throws Exception {
        List<Thread> started = new ArrayList<>();
        threads = Executors.newFixedThreadPool(connections, task -> {
            Thread thread = new Thread(task, "client");
            thread.setDaemon(true);
            started.add(thread);
            return thread;
        });
        for (int at = 0; at < connections; at++) {
            // A pool of a fixed size makes a thread for each of its first tasks.
            threads.submit(() -> { }).get();
            clients.add(new Client(port));
        }
        started.forEach(thread -> ids.add(thread.getId()));
    }

    /** The ids of its threads. */
    List<Long> ids() {
        return ids;
    }

    /** Sends all of them: connection number c has requests c, c + connections and so on, one after the other. */
    void send(Request[] requests, Span span) throws Exception {
        List<Future<?>> all = new ArrayList<>();
        for (int at = 0; at < clients.size(); at++) {
            int start = at;
            all.add(threads.submit(() -> {
                each(requests, start, span);
                return null;
            }));
        }
        for (Future<?> one : all) {
            finish(one);
        }
    }

    private void each(Request[] requests, int start, Span span) throws Exception {
        Client client = clients.get(start);
        for (int at = start; at < requests.length; at += clients.size()) {
            long begin = System.nanoTime();
            client.exchange(requests[at]);
            span.took(at, System.nanoTime() - begin);
        }
    }

    private static void finish(Future<?> one) throws Exception {
        try {
            one.get();
        } catch (ExecutionException error) {
            throw error.getCause() instanceof Exception cause ? cause : error;
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        for (Client client : clients) {
            try {
                client.close();
            } catch (java.io.IOException error) {
                System.err.println("a connection did not end well: " + error);
            }
        }
    }
}
