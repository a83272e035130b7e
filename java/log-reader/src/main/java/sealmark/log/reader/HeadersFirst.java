package sealmark.log.reader;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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

    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int READ = 1 << 16;

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
    /** Text that was read, after the last line feed. */
    private byte[] rest = new byte[0];
    private boolean isEnded;
    /** The stream told once that text is available. */
    private boolean tells;
    private boolean wasProbe;
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
        return next.length > at ? next.length - at : held.isEmpty() ? in.available() : 0;
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
        byte[] lines = isEnded || isSilent() ? null : lines();
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

    /** True if lines wait, and no other come. A stream that never tells what is available is read, and is not silent. */
    private boolean isSilent() throws IOException {
        long until = System.nanoTime() + SILENCE_NANOS;
        // A log in memory that has no more text is at its end.
        boolean mayCome = !(in instanceof ByteArrayInputStream);
        while (mayCome && !held.isEmpty() && !isAvailable() && tells) {
            if (System.nanoTime() - until > 0) {
                return true;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(5);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new IOException("the thread was interrupted", stopped);
            }
        }
        return false;
    }

    private boolean isAvailable() {
        try {
            boolean isAvailable = in.available() > 0;
            tells |= isAvailable;
            return isAvailable;
        } catch (IOException unknown) {
            // Reading tells what is wrong.
            return true;
        }
    }

    /** How many bytes to read next: one, if the stream may tell then that there are more. */
    private int toRead(int room) {
        wasProbe = !wasProbe && !isAvailable() && !tells;
        return wasProbe ? 1 : room;
    }

    /** Reads whole lines, or what there is of a line that is too long to wait; null at the end. */
    private byte[] lines() throws IOException {
        byte[] text = Arrays.copyOf(rest, Math.max(READ, 2 * rest.length));
        int filled = rest.length;
        rest = new byte[0];
        while (true) {
            int read = in.read(text, filled, toRead(text.length - filled));
            if (read < 0) {
                isEnded = true;
                return filled == 0 ? null : Arrays.copyOf(text, filled);
            }
            int end = filled + read;
            while (end > filled && text[end - 1] != '\n') {
                end--;
            }
            filled += read;
            if (end > filled - read || filled > mostHeld) {
                int cut = end > filled - read ? end : filled;
                rest = Arrays.copyOfRange(text, cut, filled);
                return Arrays.copyOf(text, cut);
            }
            if (filled == text.length) {
                text = Arrays.copyOf(text, 2 * filled);
            }
        }
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
