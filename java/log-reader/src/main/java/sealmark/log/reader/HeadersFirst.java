package sealmark.log.reader;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * Gives a log whose headers may come after their tokens (spec/record.md, "Records that are sent"). Lines wait for the header of
 * their tokens, within bounds, and the reader learns the headers that come meanwhile. The text is given as it is.
 *
 * <p>It knows no keys: it asks whether the header of a session was read, each time that its reader asks for more.
 */
final class HeadersFirst extends InputStream {
    /** Bytes of lines that wait. */
    static final int MOST_HELD = 16 << 20;
    /** Sessions for which no line waits any more; anybody can make tokens up, so with more of them no line waits at all. */
    static final int MOST_GIVEN_UP = 1 << 12;

    private static final long SILENCE_SECONDS = 1;
    private static final int READ = 1 << 16;
    /** In place of a number of bytes: the stream is silent. */
    private static final int NONE_IN_TIME = -2;

    private final InputStream in;
    private final Predicate<String> isRead;
    private final TokenScan tokens;
    private final Learner learner;
    private final int mostHeld;
    private final Deque<byte[]> held = new ArrayDeque<>();
    /** Lines that wait, and whose headers were not learned yet. */
    private final Deque<byte[]> unsearched = new ArrayDeque<>();
    private final Set<String> givenUp = new HashSet<>();
    private int heldBytes;
    /** Begins with the text that was read after the last line feed. */
    private byte[] text = new byte[READ];
    private int filled;
    private boolean isEnded;
    /** Reads while lines wait, because few streams can be read with a time limit; null until then. */
    private ExecutorService thread;
    /** The reading that has not ended; null if there is none. */
    private Future<Integer> reading;
    /** How many of {@link #held} wait no longer, because no other text came in time. */
    private int releasing;
    /** Text to be given next, from {@code at} on. */
    private byte[] next = new byte[0];
    private int at;

    /** Learns the headers in lines, before they are given; the thread that reads calls it. */
    interface Learner {
        void learn(byte[] lines) throws IOException;
    }

    /**
     * A log of a stream.
     *
     * @param isRead true for the id of a session whose header was read, also if no key opens it
     */
    HeadersFirst(InputStream in, Predicate<String> isRead, Learner learner) {
        this(in, isRead, learner, MOST_HELD);
    }

    HeadersFirst(InputStream in, Predicate<String> isRead, Learner learner, int mostHeld) {
        this.in = in;
        this.isRead = isRead;
        tokens = new TokenScan(isRead);
        this.learner = learner;
        this.mostHeld = mostHeld;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        while (at == next.length && !(isEnded && held.isEmpty())) {
            step();
        }
        int given = Math.min(length, next.length - at);
        if (given == 0 && length > 0) {
            return -1;
        }
        System.arraycopy(next, at, into, offset, given);
        at += given;
        return given;
    }

    @Override
    public int available() throws IOException {
        if (next.length > at) {
            return next.length - at;
        }
        boolean isReading = reading != null && !reading.isDone();
        return isReading || !held.isEmpty() ? 0 : reading != null ? 1 : in.available();
    }

    /** Ends the thread, and leaves the stream open. A reading that has not ended may still take text from it. */
    @Override
    public void close() {
        if (thread != null) {
            thread.shutdownNow();
        }
    }

    /** Gives the first lines that wait, if they need not wait longer; or else learns headers, or reads more. */
    private void step() throws IOException {
        if (!held.isEmpty() && (releasing > 0 || heldBytes > mostHeld || !lacks(held.peek()))) {
            release();
            return;
        }
        if (!unsearched.isEmpty()) {
            byte[] lines = unsearched.remove();
            if (Sessions.part(lines, 0, lines.length) < lines.length) {
                learner.learn(lines);
            }
            return;
        }
        byte[] lines = isEnded ? null : lines();
        if (lines == null) {
            releasing = held.size();
            return;
        }
        // The lines before may have the header.
        int given = held.isEmpty() ? lineOf(lines, lacking(lines)) : 0;
        give(Arrays.copyOf(lines, given));
        if (given < lines.length) {
            byte[] waits = Arrays.copyOfRange(lines, given, lines.length);
            held.add(waits);
            unsearched.add(waits);
            heldBytes += waits.length;
        }
    }

    /** Where the line begins that has the byte at {@code at}; the end if that is the end. */
    private static int lineOf(byte[] lines, int at) {
        int start = at;
        while (start > 0 && at < lines.length && lines[start - 1] != '\n') {
            start--;
        }
        return start;
    }

    private void give(byte[] text) {
        next = text;
        at = 0;
    }

    private void release() {
        byte[] lines = held.remove();
        heldBytes -= lines.length;
        releasing = Math.max(0, releasing - 1);
        unsearched.removeIf(one -> one == lines);
        tokens.first(lines, 0, lines.length, session -> {
            if (givenUp.size() < MOST_GIVEN_UP && !isRead.test(session)) {
                givenUp.add(session);
            }
            return false;
        });
        give(lines);
    }

    /** Whole lines, or the text of a line that is too long to wait; null at the end, and if lines wait and no other come. */
    private byte[] lines() throws IOException {
        while (true) {
            int read = readMore();
            if (read == NONE_IN_TIME) {
                return null;
            }
            isEnded = read < 0;
            if (isEnded) {
                return filled == 0 ? null : taken(filled);
            }
            int end = filled + read;
            while (end > filled && text[end - 1] != '\n') {
                end--;
            }
            boolean isWhole = end > filled;
            filled += read;
            if (isWhole || filled > mostHeld) {
                return taken(isWhole ? end : filled);
            }
            if (filled == text.length) {
                text = Arrays.copyOf(text, 2 * filled);
            }
        }
    }

    private byte[] taken(int end) {
        byte[] lines = Arrays.copyOf(text, end);
        filled -= end;
        System.arraycopy(text, end, text, 0, filled);
        return lines;
    }

    /** Reads after the text that is there; while lines wait, for a second at most. */
    private int readMore() throws IOException {
        if (held.isEmpty() && reading == null) {
            return in.read(text, filled, text.length - filled);
        }
        if (reading == null) {
            byte[] into = text;
            int offset = filled;
            reading = thread().submit(() -> in.read(into, offset, into.length - offset));
        }
        if (!held.isEmpty() && !isDoneInTime(reading)) {
            return NONE_IN_TIME;
        }
        int read = Lanes.resultOf(reading);
        reading = null;
        return read;
    }

    private static boolean isDoneInTime(Future<?> reading) throws IOException {
        try {
            reading.get(SILENCE_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException isSilent) {
            return false;
        } catch (ExecutionException isTold) {
            // Taking the result throws it.
            return true;
        } catch (InterruptedException stopped) {
            throw Lanes.interrupted(stopped);
        }
    }

    private ExecutorService thread() {
        if (thread == null) {
            // One for all readings: a pipe takes a reader whose thread has ended for broken.
            thread = Executors.newSingleThreadExecutor(Lanes::daemon);
        }
        return thread;
    }

    private boolean lacks(byte[] lines) {
        return lacking(lines) < lines.length;
    }

    /** Where the first token is whose header was not read, and that waits for it; the end if there is none. */
    private int lacking(byte[] lines) {
        return givenUp.size() >= MOST_GIVEN_UP ? lines.length
                : tokens.first(lines, 0, lines.length, session -> !givenUp.contains(session) && !isRead.test(session));
    }
}
