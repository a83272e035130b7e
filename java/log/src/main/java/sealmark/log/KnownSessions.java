package sealmark.log;

import java.lang.ref.WeakReference;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import sealmark.log.engine.Session;

/** The sessions of this JVM, of whichever sealer: what a log needs that has a token of theirs. */
final class KnownSessions {
    /** The oldest are forgotten; a line that waited longer than so many sessions stays without its header. */
    private static final int MOST = 1024;

    private static final Map<String, Known> SESSIONS = new LinkedHashMap<>();
    private static final AtomicLong ENDED = new AtomicLong();

    private KnownSessions() {}

    static void add(Session session, CurrentSession owner) {
        Known known = new Known(session, owner);
        synchronized (SESSIONS) {
            SESSIONS.put(known.id, known);
            if (SESSIONS.size() > MOST) {
                SESSIONS.remove(SESSIONS.keySet().iterator().next());
            }
        }
    }

    /** Its closing token; null where there is none. */
    static void ended(String id, String closing) {
        Known known = find(id);
        if (known != null && closing != null) {
            known.closing = closing;
            ENDED.incrementAndGet();
        }
    }

    /** Null where it is not of this JVM, or long ago. */
    static Known find(String id) {
        synchronized (SESSIONS) {
            return SESSIONS.get(id);
        }
    }

    /** Another number whenever a session has ended. */
    static long ended() {
        return ENDED.get();
    }

    /** What a log may need of a session. */
    static final class Known {
        final String id;
        private final String plainHeader;
        private final String jsonHeader;
        private final WeakReference<CurrentSession> owner;
        /** Null while the session goes on. */
        volatile String closing;

        private Known(Session session, CurrentSession owner) {
            this.id = session.id();
            this.plainHeader = session.headerLines(Shape.PLAIN);
            this.jsonHeader = session.headerLines(Shape.JSON);
            this.owner = new WeakReference<>(owner);
        }

        String header(Shape shape) {
            return shape == Shape.JSON ? jsonHeader : plainHeader;
        }

        void end() {
            CurrentSession sessions = owner.get();
            if (sessions != null) {
                sessions.leave(id);
            }
        }
    }
}
