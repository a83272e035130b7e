package sealmark.log;

import java.lang.ref.WeakReference;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import sealmark.log.engine.Session;

/** The sessions of this JVM, of whichever sealer: what a log needs that has a token of theirs. */
final class KnownSessions {
    /** How many ended sessions are kept. A line that waited for more sessions than that gets no header. */
    private static final int MOST_ENDED = 1024;
    /** How many characters of headers are kept: some sessions have a thousand readers. */
    private static final int MOST_CHARACTERS = 16 << 20;

    private static final Map<String, Known> SESSIONS = new LinkedHashMap<>();
    private static final AtomicLong ENDED = new AtomicLong();
    private static final AtomicLong BEGUN = new AtomicLong();

    private KnownSessions() {}

    static Known add(Session session, CurrentSession owner) {
        Known known = new Known(session, owner);
        synchronized (SESSIONS) {
            SESSIONS.put(known.id, known);
            forgetOldest();
        }
        BEGUN.incrementAndGet();
        return known;
    }

    /** Another number whenever a session has begun or ended. */
    static long changes() {
        return BEGUN.get() + ENDED.get();
    }

    /**
     * The sessions whose values a log may have, and whose header it may need: those of its own, and those of installed sealers that
     * belong to no log, if they are in use, or have ended before any log got their header.
     */
    static List<String> inUse(SessionLines log, int most) {
        List<Known> all;
        synchronized (SESSIONS) {
            all = SESSIONS.values().stream().filter(known -> !known.hasEnded || !known.isAnnounced).toList();
        }
        return all.stream().filter(known -> known.mayBeIn(log)).limit(most).map(known -> known.id).toList();
    }

    /** With its closing token; null if there is none. */
    static void ended(String id, String closing) {
        synchronized (SESSIONS) {
            Known known = SESSIONS.get(id);
            if (known != null) {
                known.closing = closing;
                known.hasEnded = true;
                forgetOldest();
            }
        }
        ENDED.incrementAndGet();
    }

    /** Whose session goes on is needed still, however old it is. */
    private static void forgetOldest() {
        List<Known> gone = SESSIONS.values().stream().filter(Known::isGone).toList();
        long characters = gone.stream().mapToLong(known -> known.header.length()).sum();
        for (int at = 0; at < gone.size() && (gone.size() - at > MOST_ENDED || characters > MOST_CHARACTERS); at++) {
            characters -= gone.get(at).header.length();
            SESSIONS.remove(gone.get(at).id);
        }
    }

    /** Null if it is not of this JVM, or long ago. */
    static Known find(String id) {
        synchronized (SESSIONS) {
            return SESSIONS.get(id);
        }
    }

    /** Another number whenever a session has ended. */
    static long ended() {
        return ENDED.get();
    }

    /** The header and the closing token of a session, for the logs that need them. */
    static final class Known {
        final String id;
        private final String header;
        private final WeakReference<CurrentSession> owner;
        private boolean hasEnded;
        private volatile boolean isAnnounced;
        /** Null while the session goes on, and where it ended without. */
        volatile String closing;

        private Known(Session session, CurrentSession owner) {
            this.id = session.id();
            this.header = session.headerLines(Shape.PLAIN);
            this.owner = new WeakReference<>(owner);
        }

        /** For a log that is about to write it. */
        String header(Shape shape, SessionLines log) {
            isAnnounced = true;
            CurrentSession sessions = owner.get();
            if (sessions != null) {
                sessions.askedBy(log);
            }
            return header.lines().map(shape::line).collect(Collectors.joining());
        }

        /** True if a log has asked for the header. */
        boolean isAnnounced() {
            return isAnnounced;
        }

        /** Ended, or its sealer was forgotten without being closed. */
        private boolean isGone() {
            return hasEnded || owner.get() == null;
        }

        /** True if the session belongs to a log, and to another one. */
        boolean isOfAnotherLog(SessionLines log) {
            CurrentSession sessions = owner.get();
            return sessions != null && sessions.isOfLog() && !log.has(sessions);
        }

        private boolean mayBeIn(SessionLines log) {
            CurrentSession sessions = owner.get();
            return sessions != null && (sessions.isOfLog() ? log.has(sessions) : Sealers.have(sessions));
        }

        void end() {
            CurrentSession sessions = owner.get();
            if (sessions != null) {
                sessions.leave(id);
            }
        }
    }
}
