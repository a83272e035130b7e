package sealmark.log.reader;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Works on the blocks of a log on all cores, and hands the results over in the order of the log. One thread uses it. */
final class Lanes<R extends Lanes.Result> implements AutoCloseable {
    /** Bytes of all blocks under way; a larger block goes alone. */
    private static final int IN_FLIGHT = 32 << 20;
    private static final int MOST_THREADS = 16;

    private final int threads = Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors());
    private final Sessions sessions;
    private final Supplier<Work<R>> makes;
    private final Taker<R> taker;
    private final Queue<Work<R>> idle = new ConcurrentLinkedQueue<>();
    private final Deque<Running<R>> running = new ArrayDeque<>();
    private byte[] spare = new byte[BlockReader.SIZE];
    private ExecutorService pool;
    private long bytes;
    private boolean isEnough;

    /** The result of a block. */
    interface Result {
        Findings found();

        /** Wipes opened text. */
        void wipe();
    }

    /** Works on a block; one thread at a time. */
    interface Work<R> {
        R work(Block block) throws IOException;
    }

    /** Takes the result of a block. */
    interface Taker<R> {
        void take(Block block, R result) throws IOException;
    }

    /** {@code mayLackMore} if more headers may have been learned since the work began. */
    private record Running<R>(Block block, Future<R> result, boolean mayLackMore) {}

    /** Works with these sessions, which learn headers. */
    Lanes(Sessions sessions, Supplier<Work<R>> makes, Taker<R> taker) {
        this.sessions = sessions;
        this.makes = makes;
        this.taker = taker;
    }

    /**
     * Reads a log to its end, and learns its headers, each before its line is worked on. A log that is no file, and so cannot
     * be read once more, waits for headers that come late.
     */
    void read(InputStream in, int number, boolean isFile) throws IOException {
        isEnough = false;
        if (isFile) {
            read(new BlockReader(in, number));
            return;
        }
        try (HeadersFirst log = new HeadersFirst(in, sessions::isMet, this::learn)) {
            read(new BlockReader(log, number));
        }
    }

    private void learn(byte[] lines) throws IOException {
        // Threads read the sessions without a lock.
        drain();
        sessions.learn(lines, 0, lines.length);
    }

    private void read(BlockReader reader) throws IOException {
        while (!isEnough) {
            Block block = reader.next(spare());
            if (block == null) {
                break;
            }
            boolean isIdle = reader.isIdle();
            Block rest = block.isLines() ? learn(block) : block;
            put(rest, isIdle && running.isEmpty());
            if (isIdle) {
                // The reader of a log that grows gets each line as soon as it is there.
                drain();
            }
        }
    }

    /** Learns the headers in a block, and puts the lines before each that is new; returns the lines that are left. */
    private Block learn(Block block) throws IOException {
        Block left = block;
        byte[] text = block.text();
        int part = Sessions.part(text, block.from(), block.to());
        while (part < block.to()) {
            int start = Block.lineStart(text, block.from(), part);
            int end = Block.lineEnd(text, part, block.to());
            if (sessions.isNew(text, start, end)) {
                // Threads read the sessions without a lock, and a header counts from its line on.
                put(new Block(text, left.from(), start, block.input(), Block.Kind.LINES), true);
                left = new Block(text, start, block.to(), block.input(), Block.Kind.LINES);
                drain();
                // This array has more lines.
                spare = null;
                sessions.learn(text, start, end);
            }
            part = Sessions.part(text, end, block.to());
        }
        return left;
    }

    /** Leaves the rest of the log that is read now unread. */
    void skipRest() {
        isEnough = true;
    }

    /** Waits for all results. */
    void drain() throws IOException {
        while (!running.isEmpty()) {
            takeOne();
        }
    }

    private void put(Block block, boolean isAlone) throws IOException {
        while (!running.isEmpty() && (bytes + block.length() > IN_FLIGHT || running.size() >= 4 * threads)) {
            takeOne();
        }
        Callable<R> job = () -> work(block);
        Future<R> result;
        if (isAlone) {
            // No thread is started for a short log.
            FutureTask<R> here = new FutureTask<>(job);
            here.run();
            result = here;
        } else {
            result = pool().submit(job);
        }
        running.add(new Running<>(block, result, sessions.mayLearnMore()));
        bytes += block.length();
    }

    private R work(Block block) throws IOException {
        Work<R> known = idle.poll();
        Work<R> work = known == null ? makes.get() : known;
        R result = work.work(block);
        idle.add(work);
        return result;
    }

    private void takeOne() throws IOException {
        Running<R> first = running.remove();
        bytes -= first.block.length();
        R result = resultOf(first.result);
        if (first.mayLackMore && !isEnough && result.found().orphans > 0) {
            result.wipe();
            learnMore();
            result = work(first.block);
        }
        taker.take(first.block, result);
        if (first.block.text().length == BlockReader.SIZE) {
            spare = first.block.text();
        }
    }

    /** Learns the headers of all files, once. A log in order never gets here, so that it is read once. */
    private void learnMore() throws IOException {
        if (!sessions.mayLearnMore()) {
            return;
        }
        // Threads read the sessions without a lock.
        for (Running<R> other : running) {
            try {
                other.result.get();
            } catch (InterruptedException stopped) {
                throw interrupted(stopped);
            } catch (ExecutionException isTold) {
                // Its turn comes.
            }
        }
        sessions.learnMore();
    }

    static IOException interrupted(InterruptedException stopped) {
        Thread.currentThread().interrupt();
        return new IOException("the thread was interrupted", stopped);
    }

    static <R> R resultOf(Future<R> future) throws IOException {
        try {
            return future.get();
        } catch (InterruptedException stopped) {
            throw interrupted(stopped);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof IOException error) {
                throw error;
            }
            if (failed.getCause() instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failed.getCause();
        }
    }

    private byte[] spare() {
        byte[] array = spare == null ? new byte[BlockReader.SIZE] : spare;
        spare = null;
        return array;
    }

    private ExecutorService pool() {
        if (pool == null) {
            pool = Executors.newFixedThreadPool(threads, Lanes::daemon);
        }
        return pool;
    }

    static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "sealmark-log-reader");
        // An application that fails meanwhile can end.
        thread.setDaemon(true);
        return thread;
    }

    /** Ends the threads, and waits for them, because keys are wiped next. Blocks under way are forgotten. */
    @Override
    public void close() {
        if (pool == null) {
            return;
        }
        pool.shutdown();
        boolean wasInterrupted = false;
        while (!pool.isTerminated()) {
            try {
                wasInterrupted |= !pool.awaitTermination(1, TimeUnit.HOURS);
            } catch (InterruptedException stopped) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
