package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import sealmark.log.KnownSessions.Known;

/**
 * The lines that one log needs besides its records: the header of each session before the first token of it, and its
 * closing token when it has ended. One for each file or stream.
 *
 * <p>Tokens are looked for in the finished lines, so it does not matter which sealer made them, on which thread, or when.
 * Ask before each line, and write what it answers and the line without another line in between: asking and writing share a
 * lock of the caller's. Any thread may call.
 */
public final class OwnLines {
    private static final String START = "~s1";
    private static final int ID = 16;
    private static final byte[] NOTHING = {};
    /** Sessions that this log has; those before them get their header again, and miss their closing token. */
    private static final int MOST = 256;

    private final Shape shape;
    /** No monitor: a virtual thread that waits for a session's end would keep its carrier. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Had> had = new LinkedHashMap<>();
    /** The session met last; most lines have tokens of it. */
    private byte[] lastId = NOTHING;
    private long seenEnded = -1;

    /** A session that this log has the header of. */
    private static final class Had {
        final Known known;
        boolean isClosed;

        Had(Known known) {
            this.known = known;
        }
    }

    /**
     * For a log that is empty.
     *
     * @param shape of the log's own lines
     */
    public OwnLines(Shape shape) {
        this.shape = shape;
    }

    /** A new file begins, after roll-over perhaps: it has had no header yet. */
    public void opening() {
        lock.lock();
        try {
            forget();
        } finally {
            lock.unlock();
        }
    }

    /**
     * What to write before a line.
     *
     * @param line a line or a part of one, with all of its tokens, in UTF-8 or any other encoding that has ASCII in it
     * @return lines, each with its line feed; mostly none
     */
    public String before(byte[] line) {
        return before(line, 0, line.length);
    }

    /**
     * What to write before a line.
     *
     * @param bytes an array that a line, or several, lie in
     * @param offset where it begins
     * @param length its bytes
     * @return lines, each with its line feed; mostly none
     */
    public String before(byte[] bytes, int offset, int length) {
        lock.lock();
        try {
            String closing = seenEnded == KnownSessions.ended() ? "" : closingTokens();
            return closing + headers(bytes, offset, offset + length);
        } finally {
            lock.unlock();
        }
    }

    /**
     * What to write before a line.
     *
     * @param line a line or a part of one, with all of its tokens
     * @return lines, each with its line feed; mostly none
     */
    public String before(CharSequence line) {
        String text = line.toString();
        // What is no Latin-1 becomes "?", and no part of a token.
        return before(text.contains(START) ? text.getBytes(ISO_8859_1) : NOTHING);
    }

    /**
     * The file ends, before roll-over perhaps: ends the sessions it has tokens of, so that it can be verified alone, as long
     * as no value was sealed before this whose line is written behind it.
     *
     * @return the closing tokens, each a line with its line feed
     */
    public String closing() {
        lock.lock();
        try {
            had.values().forEach(one -> one.known.end());
            String lines = closingTokens();
            forget();
            return lines;
        } finally {
            lock.unlock();
        }
    }

    private void forget() {
        had.clear();
        lastId = NOTHING;
    }

    private String closingTokens() {
        seenEnded = KnownSessions.ended();
        StringBuilder lines = new StringBuilder();
        for (Had one : had.values()) {
            String closing = one.isClosed ? null : one.known.closing;
            if (closing != null) {
                lines.append(shape.line(closing));
                one.isClosed = true;
            }
        }
        return lines.toString();
    }

    private String headers(byte[] bytes, int offset, int end) {
        String headers = "";
        for (int at = next(bytes, offset, end); at >= 0; at = next(bytes, at + 1, end)) {
            int id = sessionAt(bytes, at, end);
            if (id >= 0 && !isLast(bytes, id)) {
                headers += headerOf(new String(bytes, id, ID, ISO_8859_1));
            }
        }
        return headers;
    }

    private String headerOf(String id) {
        Had before = had.get(id);
        Known known = before == null ? KnownSessions.find(id) : before.known;
        if (known == null) {
            return "";
        }
        lastId = id.getBytes(ISO_8859_1);
        if (before != null) {
            return "";
        }
        if (had.size() == MOST) {
            had.remove(had.keySet().iterator().next());
        }
        had.put(id, new Had(known));
        return known.header(shape);
    }

    private boolean isLast(byte[] bytes, int at) {
        return lastId.length == ID && Arrays.equals(bytes, at, at + ID, lastId, 0, ID);
    }

    /** Where the next token may begin; negative where none does. */
    private static int next(byte[] bytes, int from, int end) {
        for (int at = from; at + START.length() < end; at++) {
            if (bytes[at] == '~' && bytes[at + 1] == 's' && bytes[at + 2] == '1') {
                return at;
            }
        }
        return -1;
    }

    /** Where the session of the token at {@code at} stands; negative where that is no token. */
    private static int sessionAt(byte[] bytes, int at, int end) {
        int label = at + START.length() + 2;
        if (label >= end || bytes[label - 1] != '~' || "apjq".indexOf(bytes[label - 2]) < 0) {
            return -1;
        }
        int tilde = label;
        while (tilde < end && tilde <= label + 64 && bytes[tilde] != '~') {
            tilde++;
        }
        int id = tilde + 1;
        return tilde > label && id + ID < end && bytes[tilde] == '~' && bytes[id + ID] == '~' ? id : -1;
    }
}
