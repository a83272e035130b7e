package sealmark.log;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import sealmark.log.engine.Engine;
import sealmark.log.engine.Engines;
import sealmark.log.engine.SealException;
import sealmark.log.engine.Session;
import sealmark.log.wrap.Readers;

/** The session in use: one after the other, begun when there is something to seal. */
final class CurrentSession {
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Engine engine;
    private final Readers readers;
    private final int padding;
    private final long valuesOfASession;
    private final Duration age;
    private final SideFile sideFile;
    /** Sessions follow one another under it; sealing knows no lock. */
    private final ReentrantLock turn = new ReentrantLock();

    private volatile Session current;
    private long sealedBefore;
    private boolean closed;
    private Future<?> aging;
    private SealException failure;
    private long failedAt;

    CurrentSession(Builder builder) {
        readers = builder.readers();
        engine = Engines.choose(builder.engine == LogSealer.Engine.PURE_JAVA, builder.engine == LogSealer.Engine.NATIVE);
        engine.require(readers);
        padding = builder.padding;
        valuesOfASession = builder.valuesOfASession;
        age = builder.age;
        sideFile = builder.sideFile == null ? null : new SideFile(builder.sideFile);
    }

    private CurrentSession() {
        engine = null;
        readers = null;
        padding = 0;
        valuesOfASession = 0;
        age = null;
        sideFile = null;
        closed = true;
    }

    /** None, ever. */
    static CurrentSession none() {
        return new CurrentSession();
    }

    String engine() {
        return engine == null ? "none" : engine.name();
    }

    Session get() throws SealException {
        Session session = current;
        return session == null ? begin() : session;
    }

    /** A session in which nothing more is to be sealed. */
    void leave(Session ended) {
        leave(ended.id());
    }

    void leave(String ended) {
        turn.lock();
        try {
            if (current != null && current.id().equals(ended)) {
                endCurrent();
            }
        } finally {
            turn.unlock();
        }
    }

    void end() {
        turn.lock();
        try {
            endCurrent();
        } finally {
            turn.unlock();
        }
    }

    void close() {
        turn.lock();
        try {
            closed = true;
            endCurrent();
        } finally {
            turn.unlock();
        }
    }

    long sealed() {
        turn.lock();
        try {
            return sealedBefore + (current == null ? 0 : current.count());
        } finally {
            turn.unlock();
        }
    }

    private Session begin() throws SealException {
        turn.lock();
        try {
            if (current == null) {
                checkMayBegin();
                current = announced();
                failure = null;
            }
            return current;
        } catch (SealException error) {
            failure = error;
            failedAt = System.nanoTime();
            throw error;
        } finally {
            turn.unlock();
        }
    }

    /** What failed a moment ago is not tried for each value. */
    private void checkMayBegin() throws SealException {
        if (closed) {
            throw new SealException(engine == null ? "no sealer is installed" : "the sealer was closed");
        }
        if (failure != null && System.nanoTime() - failedAt < PAUSE_NANOS) {
            throw failure;
        }
    }

    /** A session whose header everybody can have before its first token. */
    private Session announced() throws SealException {
        Session session = engine.begin(readers, padding, valuesOfASession);
        try {
            if (sideFile != null) {
                sideFile.append(session);
            }
        } catch (SealException error) {
            session.destroy();
            throw error;
        }
        KnownSessions.add(session, this);
        aging = Ages.endAfter(age, this, session);
        return session;
    }

    private void endCurrent() {
        Session ended = current;
        if (ended == null) {
            return;
        }
        current = null;
        aging.cancel(false);
        String closing = ended.close();
        sealedBefore += ended.count();
        ended.destroy();
        KnownSessions.ended(ended.id(), closing);
    }
}
