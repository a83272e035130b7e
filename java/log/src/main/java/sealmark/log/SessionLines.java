package sealmark.log;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import sealmark.log.KnownSessions.Known;
import sealmark.log.engine.StackRoom;
import sealmark.log.grammar.Grammar;

/**
 * The lines that one log needs besides its records: the header of each session before its first token, and the closing token
 * when the session has ended. Make one for each file or stream.
 *
 * <pre>{@code
 * String line = own.format(() -> "login of " + Sealed.of("email", email) + "\n");
 * synchronized (log) {
 *     String safe = own.withoutLookalikes(sealer, line);
 *     log.append(own.before(safe)).append(safe);
 * }
 * }</pre>
 *
 * <p>{@link #format} makes values of the line part of this log's own sessions. Tokens are then looked for in the finished line, so
 * it does not matter which sealer made them, on which thread, or when. The caller holds a lock while it calls {@link #before} and
 * writes, so that no other line comes between. Any thread may call.
 */
public final class SessionLines {
    private static final int ID = 16;
    /** Sessions that this log has; those before them get their header again, and miss their closing token. */
    private static final int MOST = 256;
    /** Bounds the lines that nobody can open, if a header was lost, or somebody emptied the file; shorter in tests. */
    private static volatile Duration repeat = Duration.ofMinutes(5);
    /** One record in ten may be lost, and a header of two parts is then lost once in 50,000 sessions. */
    private static final int COPIES = 5;
    /** Closing tokens that a sink gets at least. */
    private static final int CLOSINGS = 2;
    /** Later copies are rarer, because a header is about as long as ten records. */
    private static final int RECORDS_BETWEEN_COPIES = 1000;
    private static final Duration TIME_BETWEEN_COPIES = Duration.ofMinutes(1);
    /** The log whose line the thread formats. */
    private static final ThreadLocal<SessionLines> FORMATTING = new ThreadLocal<>();

    private final Shape shape;
    /** True for a sink of records, which may lose some. */
    private final boolean isOfRecords;
    /** Sessions in use whose tokens may be in any record; kept until a session begins or ends. */
    private List<String> inUse = List.of();
    private long seenChanges = -1;
    /** No monitor: a virtual thread that waits for a session's end would keep its carrier. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Announced> had = new LinkedHashMap<>();
    /** This log's own sessions; guarded by the lock. */
    private final Map<LogSealer, CurrentSession> sessions = new WeakHashMap<>();
    /** Nearly all logs have one sealer. */
    private volatile OfSealer lastOfSealer = new OfSealer(null, null);
    /** True if a thread ran out of stack or memory in the middle of an answer, so that nobody got the lines. */
    private boolean isUnsure;
    /** The session met last, because most lines have tokens of it; empty for none. */
    private volatile String lastId = "";
    /** When the log got the header of that session. */
    private volatile long lastHeaderAt;
    private final long repeatNanos;
    private volatile long seenEnded = -1;

    private record OfSealer(LogSealer sealer, CurrentSession sessions) {}

    /** A session that this log has the header of. */
    private static final class Announced {
        final Known known;
        boolean isClosed;
        /** When the log got the header. */
        long at;
        int copies;
        /** Records since the last copy. */
        int records;

        Announced(Known known) {
            this.known = known;
        }
    }

    /**
     * Begins the lines of a log that is empty.
     *
     * @param shape the shape of headers and closing tokens
     */
    public SessionLines(Shape shape) {
        this(shape, false);
    }

    private SessionLines(Shape shape, boolean isOfRecords) {
        this.shape = shape;
        this.isOfRecords = isOfRecords;
        repeatNanos = (isOfRecords ? TIME_BETWEEN_COPIES : repeat).toNanos();
    }

    /**
     * Begins the lines of a sink that takes records one by one and may lose or reorder them: syslog, a queue, a collector. Each
     * line that {@link #before} and {@link #closing} return is to be sent as a record of its own. Headers are repeated: after
     * 1, 4, 16 and 64 records, then after each 1,000 records or a minute, and at the end, at least five times in all.
     *
     * <pre>{@code
     * SessionLines own = SessionLines.ofRecords();
     * String record = own.format(() -> "login of " + Sealed.of("email", email));
     * own.before(record).lines().forEach(sink::send);
     * sink.send(record);
     * }</pre>
     *
     * <p>{@code before} also returns the headers of sessions in use: those of this log, and those of installed sealers for values
     * outside of any log. With an empty text it counts no record: call it so after a record that something else has formatted,
     * which may have sealed values.
     *
     * @return lines for one sink
     */
    public static SessionLines ofRecords() {
        return new SessionLines(Shape.PLAIN, true);
    }

    /**
     * Formats a line of this log. Values that are sealed on this thread meanwhile belong to sessions of this log alone, so that
     * {@code sealmark log verify} finds all of them in it.
     *
     * @param <T> a line, as text or bytes
     * @param line formats it; may seal, log and throw
     * @return the line, to be given to {@link #withoutLookalikes} and {@link #before}
     */
    public <T> T format(Supplier<T> line) {
        SessionLines outer = FORMATTING.get();
        FORMATTING.set(this);
        try {
            return line.get();
        } finally {
            if (outer == null) {
                FORMATTING.remove();
            } else {
                FORMATTING.set(outer);
            }
        }
    }

    /** The log whose line this thread formats; null if there is none. */
    static SessionLines formatting() {
        return FORMATTING.get();
    }

    /** The sessions of a sealer that only this log has values of. */
    CurrentSession sessionsOf(LogSealer sealer) {
        OfSealer known = lastOfSealer;
        if (known.sealer == sealer) {
            return known.sessions;
        }
        StackRoom.require();
        lock.lock();
        try {
            CurrentSession found = sessions.computeIfAbsent(sealer, LogSealer::ofLog);
            lastOfSealer = new OfSealer(sealer, found);
            return found;
        } finally {
            lock.unlock();
        }
    }

    /**
     * True if a text has a token of a session that belongs to another log. Its text was formatted for that log: formatted
     * anew, it gets tokens of this one.
     *
     * @param text a message, perhaps with tokens
     * @return false for tokens that were made while no line was formatted: they belong to no log
     */
    public boolean hasTokensOfAnother(String text) {
        String last = lastId;
        for (int at = text.indexOf(Grammar.START); at >= 0; at = text.indexOf(Grammar.START, at + 1)) {
            int id = sessionAt(text, at);
            // Nearly all tokens are of the session met last, which no thread waits for a lock to look up.
            boolean isOfLast = id < 0 || (!last.isEmpty() && text.startsWith(last, id));
            Known known = isOfLast ? null : KnownSessions.find(text.substring(id, id + ID));
            if (known != null && known.isOfAnotherLog(this)) {
                return true;
            }
        }
        return false;
    }

    /** True if these are this log's own. */
    boolean has(CurrentSession some) {
        lock.lock();
        try {
            return sessions.containsValue(some);
        } finally {
            lock.unlock();
        }
    }

    /** Tells that a new file begins, for example after a roll-over, so that it has no header yet. */
    public void opening() {
        lock.lock();
        try {
            forget();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Tells that a file begins or is continued, so that it gets headers anew. If a crash or a full disk cut off its last line,
     * the next line would become part of it.
     *
     * @param file a file to which nothing was written since it was opened; it may be missing, or be a pipe
     * @return the text to write first: a line feed if the file ends within a line or cannot be read, else the empty text
     */
    public String opening(Path file) {
        return opening(file, Long.MAX_VALUE);
    }

    /**
     * Does what {@link #opening(Path)} does, for a file that is longer than its text, as memory-mapped files are.
     *
     * @param file to which nothing was written since it was opened
     * @param length the offset at which the file is continued; ignored if the file is not longer
     * @return the text to write first, as in {@link #opening(Path)}
     */
    public String opening(Path file, long length) {
        opening();
        return endsAmidLine(file, length) ? "\n" : "";
    }

    private static boolean endsAmidLine(Path path, long length) {
        // To open a pipe would wait for somebody who writes to it.
        if (!Files.isRegularFile(path)) {
            return false;
        }
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            long end = Math.min(length, file.length());
            file.seek(Math.max(0, end - 1));
            return end > 0 && file.read() != '\n';
        } catch (IOException error) {
            return true;
        }
    }

    /**
     * Seals text in a line that looks like a token and was not made in this JVM: strangers write such text into URLs and names.
     * It gets the label {@code lookalike}, so that the opened log has it again (spec/record.md, "Text that looks like a
     * token"). Costs nothing if the line has no {@code ~s1}.
     *
     * @param sealer seals it; if {@link Sealers#find} found no sealer, an installed one of another name does
     * @param line the whole of a finished line, or of several; bytes as ISO 8859-1 make it
     * @return the line itself, the same object, if there is nothing to seal
     */
    public String withoutLookalikes(LogSealer sealer, String line) {
        return isAllOfLast(line, true) ? line : format(() -> Tokens.withoutLookalikes(Sealers.orAnother(sealer), line));
    }

    /**
     * Returns the lines that the log needs before a line: headers and closing tokens. A header comes again after five minutes,
     * before the next token of its session.
     *
     * @param line a line or a part of one, with all of its tokens; bytes as ISO 8859-1 make it
     * @return lines, each with its line feed; mostly none
     */
    public String before(CharSequence line) {
        String text = line.toString();
        if (!isOfRecords && seenEnded == KnownSessions.ended() && isAllOfLast(text, false) && !isRepeatDue(text)) {
            return "";
        }
        StackRoom.require();
        lock.lock();
        try {
            if (isUnsure) {
                forget();
            }
            // Without a call, as there may be no stack for one when it fails.
            isUnsure = true;
            String closing = seenEnded == KnownSessions.ended() ? "" : closingTokens();
            String lines = closing + headers(text);
            isUnsure = false;
            return lines;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Tells that the file ends, for example before a roll-over. It ends the sessions of the tokens in the file, so that the
     * file can be verified alone, unless a line whose values were sealed before is written later.
     *
     * @return the closing tokens, each a line with its line feed
     */
    public String closing() {
        lock.lock();
        try {
            // Another thread may have sealed since the last record.
            String late = isOfRecords ? headers("") : "";
            had.values().forEach(one -> one.known.end());
            sessions.values().forEach(CurrentSession::end);
            String lines = late + closingTokens();
            forget();
            return lines;
        } finally {
            lock.unlock();
        }
    }

    private void forget() {
        had.clear();
        lastId = "";
    }

    private String closingTokens() {
        seenEnded = KnownSessions.ended();
        StringBuilder lines = new StringBuilder();
        for (Announced one : had.values()) {
            String closing = one.isClosed ? null : one.known.closing;
            if (closing != null) {
                // A header may be lost with the closing token, so they go together.
                int copies = isOfRecords ? Math.max(CLOSINGS, COPIES - one.copies) : 0;
                String header = copies == 0 ? "" : one.known.header(shape, this);
                lines.append(header).append(shape.line(closing));
                for (int copy = 1; copy < copies; copy++) {
                    lines.append(header).append(shape.line(closing));
                }
                one.isClosed = true;
            }
        }
        return lines.toString();
    }

    /** True if all tokens of a line are of the session met last. This log has its header, and no thread waits for a lock. */
    private boolean isAllOfLast(String line, boolean partsToo) {
        String last = lastId;
        for (int at = line.indexOf(Grammar.START); at >= 0; at = line.indexOf(Grammar.START, at + 1)) {
            int id = sessionAt(line, at);
            boolean isOther = id >= 0 && (last.isEmpty() || !line.startsWith(last, id));
            if (isOther || (partsToo && (line.startsWith("h~", at + 3) || line.startsWith("z~", at + 3)))) {
                return false;
            }
        }
        return true;
    }

    /** A line without tokens needs no header. */
    private boolean isRepeatDue(String line) {
        return System.nanoTime() - lastHeaderAt > repeatNanos && line.contains(Grammar.START);
    }

    private String headers(String line) {
        return isOfRecords ? headersOfRecord(line) : headersOfLine(line);
    }

    /** The record's sessions, and those in use: somebody else may format the record, or a part of it, later. */
    private String headersOfRecord(String record) {
        long changes = KnownSessions.changes();
        if (seenChanges != changes) {
            inUse = KnownSessions.inUse(this, MOST / 2);
            seenChanges = changes;
        }
        Set<String> ids = new LinkedHashSet<>(inUse);
        for (int at = record.indexOf(Grammar.START); at >= 0; at = record.indexOf(Grammar.START, at + 1)) {
            int id = sessionAt(record, at);
            if (id >= 0) {
                ids.add(record.substring(id, id + ID));
            }
        }
        long now = System.nanoTime();
        StringBuilder headers = new StringBuilder();
        for (String id : ids) {
            Announced announced = had.get(id);
            if (announced != null && !record.isEmpty()) {
                announced.records++;
            }
            headers.append(headerOf(id, now));
        }
        return headers.toString();
    }

    private String headersOfLine(String line) {
        long now = System.nanoTime();
        StringBuilder headers = new StringBuilder();
        String last = lastId;
        for (int at = line.indexOf(Grammar.START); at >= 0; at = line.indexOf(Grammar.START, at + 1)) {
            int id = sessionAt(line, at);
            if (id >= 0) {
                String session = line.substring(id, id + ID);
                headers.append(headerOf(session, now));
                last = had.containsKey(session) ? session : last;
            }
        }
        String lines = headers.toString();
        Announced announced = had.get(last);
        lastHeaderAt = announced == null ? now : announced.at;
        lastId = last;
        return lines;
    }

    private String headerOf(String id, long now) {
        Announced announced = had.get(id);
        if (announced == null) {
            Known known = KnownSessions.find(id);
            if (known == null) {
                return "";
            }
            if (had.size() == MOST) {
                had.remove(had.keySet().iterator().next());
            }
            announced = new Announced(known);
            had.put(id, announced);
        } else if (now - announced.at <= repeatNanos && !isCopyDue(announced)) {
            return "";
        }
        announced.at = now;
        announced.copies++;
        announced.records = 0;
        return announced.known.header(shape, this);
    }

    /** The first copies come soon, because nobody knows how long a session is going to be. */
    private boolean isCopyDue(Announced announced) {
        int records = announced.copies < COPIES ? 1 << (2 * (announced.copies - 1)) : RECORDS_BETWEEN_COPIES;
        return isOfRecords && announced.records >= records;
    }

    /** Where the session of the token at {@code at} stands; negative where that is no token. */
    private static int sessionAt(String line, int at) {
        int label = at + Grammar.START.length() + 2;
        if (label >= line.length() || line.charAt(label - 1) != '~' || "apjq".indexOf(line.charAt(label - 2)) < 0) {
            return -1;
        }
        int tilde = line.indexOf('~', label);
        int id = tilde + 1;
        boolean isLabel = tilde > label && tilde <= label + Grammar.LONGEST_LABEL;
        return isLabel && id + ID < line.length() && line.charAt(id + ID) == '~' ? id : -1;
    }
}
