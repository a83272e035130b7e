package sealmark.log;

import java.lang.ref.WeakReference;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import sealmark.log.engine.Session;

/** Keeps the headers and closing tokens of all sessions of this JVM, because a log with one of their tokens needs them. */
final class KnownSessions {
    /** This many ended sessions are kept. A line that waited while more sessions ended gets no header. */
    private static final int MOST_ENDED = 1024;
    /** This many characters of headers are kept, because some sessions have a thousand readers. */
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

    /** Returns a number that changes whenever a session begins or ends. */
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

    /** Records that a session has ended; the closing token is null if it has none. */
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

    /** Forgets only sessions that are gone, because a log may still need the header of any other, however old it is. */
    private static void forgetOldest() {
        List<Known> gone = SESSIONS.values().stream().filter(Known::isGone).toList();
        long characters = gone.stream().mapToLong(known -> known.header.length()).sum();
        for (int at = 0; at < gone.size() && (gone.size() - at > MOST_ENDED || characters > MOST_CHARACTERS); at++) {
            characters -= gone.get(at).header.length();
            SESSIONS.remove(gone.get(at).id);
        }
    }

    /** Finds a session; returns null if another JVM made it, or it was forgotten. */
    static Known find(String id) {
        synchronized (SESSIONS) {
            return SESSIONS.get(id);
        }
    }

    /** Returns a number that changes whenever a session ends. */
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
        /** This is null while the session goes on, and if it ended without a closing token. */
        volatile String closing;

        private Known(Session session, CurrentSession owner) {
            this.id = session.id();
            this.header = session.headerLines(Shape.PLAIN);
            this.owner = new WeakReference<>(owner);
        }

        /** Returns the header to a log that is about to write it. */
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

        /** True if the session ended, or its sealer was forgotten without being closed. */
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
