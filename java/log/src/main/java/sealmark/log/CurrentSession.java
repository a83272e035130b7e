package sealmark.log;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import sealmark.log.KnownSessions.Known;
import sealmark.log.engine.Engine;
import sealmark.log.engine.SealException;
import sealmark.log.engine.Session;
import sealmark.log.engine.StackRoom;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.wrap.Previous;
import sealmark.log.wrap.Readers;

/**
 * The session in use: one after the other, begun when there is something to seal.
 *
 * <p>A sealer has one of these for values that no log is known for, and one for each log whose line is being formatted: a
 * session whose values are in two logs cannot be verified in either.
 */
final class CurrentSession {
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
    /** Characters of base64url. */
    private static final int COUNT_AND_TAG = 32;

    private final Settings settings;
    private final PreSharedKey ownKey;
    /** The sealer's own, which this one follows when that is closed or suspended; null if this is it. */
    private final CurrentSession root;
    /** Why nothing is sealed once this is closed. */
    private final String refusal;
    /** Sessions follow one another under it; sealing knows no lock. */
    private final ReentrantLock turn = new ReentrantLock();

    private volatile Session current;
    private volatile boolean closed;
    private volatile boolean suspended;
    private Future<?> aging;
    /** A session whose header nobody was seen to ask for yet, and the look at it that is to come; null for none. */
    private Known watched;
    /** The logs' view of the session in use. */
    private Known known;
    /** The session that ended last, as the next one's header tells of it; null if that is not known. */
    private Previous previous;
    /** The first log that asked for a header. If several logs do, one may lack a session that another has. */
    private final AtomicReference<WeakReference<SessionLines>> log = new AtomicReference<>();
    private volatile boolean hasSeveralLogs;
    private Future<?> watch;
    /** Sessions that were left, to be closed and destroyed outside of the turn: a thread may be lost in one. */
    private final Queue<Left> left = new ConcurrentLinkedQueue<>();
    private SealException failure;
    private long failedAt;

    CurrentSession(LogSealer.Builder builder) {
        ownKey = builder.copyOfOwnKey();
        Readers readers = builder.readers(ownKey);
        Engine engine = Engine.choose(builder.engine);
        engine.require(readers);
        settings = new Settings(engine, readers, builder.padding, builder.valuesOfASession, builder.age,
                builder.sideFile == null ? null : new SideFile(builder.sideFile), builder.headerWithin, new LongAdder(),
                new AtomicLong());
        root = null;
        refusal = "the sealer was closed";
    }

    /** Sessions of one log, as the sealer's own in all else. */
    CurrentSession(CurrentSession root) {
        settings = root.settings;
        ownKey = null;
        this.root = root;
        refusal = root.refusal;
    }

    /** Begins no session, ever; says why values are not sealed. */
    CurrentSession(String refusal) {
        settings = new Settings(null, null, 0, 0, null, null, Duration.ZERO, new LongAdder(), new AtomicLong());
        ownKey = null;
        root = null;
        this.refusal = refusal;
        closed = true;
    }

    /**
     * The settings of a sealer, and its counts over all logs.
     *
     * @param ended values of sessions that have ended
     */
    private record Settings(Engine engine, Readers readers, int padding, long valuesOfASession, Duration age,
            SideFile sideFile, Duration headerWithin, LongAdder ended, AtomicLong unannounced) {}

    /** True if these are the sessions of one log. */
    boolean isOfLog() {
        return root != null;
    }

    boolean hasSideFile() {
        return settings.sideFile != null;
    }

    String engine() {
        return settings.engine == null ? "none" : settings.engine.name();
    }

    Session get() throws SealException {
        Session session = current;
        return session == null ? begin() : session;
    }

    boolean isClosed() {
        return closed;
    }

    /** A session in which nothing more is to be sealed. */
    void leave(String ended) {
        inTurn(() -> {
            if (current != null && current.id().equals(ended)) {
                endCurrent();
            }
        });
    }

    void end() {
        inTurn(this::endCurrent);
    }

    /** Ends the session; no other begins before {@link #resume}. */
    void suspend() {
        inTurn(() -> {
            suspended = true;
            endCurrent();
            previous = null;
        });
    }

    void resume() {
        inTurn(() -> suspended = false);
    }

    /** Lets no session begin, here and in the logs' own, which are closed next. */
    void refuse() {
        closed = true;
    }

    void close() {
        inTurn(() -> {
            closed = true;
            endCurrent();
            if (ownKey != null) {
                ownKey.close();
            }
            if (watched != null) {
                watch.cancel(false);
                lookAt(watched);
            }
        });
        if (unannounced() > 0) {
            Ages.awaitSoon();
        }
    }

    /** Values of all sessions that have ended, and of the one in use here. */
    long sealed() {
        turn.lock();
        try {
            return settings.ended.sum() + (current == null ? 0 : current.count());
        } finally {
            turn.unlock();
        }
    }

    /** Values of the session in use. */
    long sealedNow() {
        turn.lock();
        try {
            return current == null ? 0 : current.count();
        } finally {
            turn.unlock();
        }
    }

    /** Counted among those that were looked at: one that ends soon is not, while another is watched. */
    long unannounced() {
        return settings.unannounced.get();
    }

    private void watch(Known session) {
        Duration time = settings.headerWithin;
        if (settings.sideFile == null && watched == null && !time.isZero() && !time.isNegative()) {
            watched = session;
            watch = Ages.after(time, this, me -> me.inTurn(() -> me.lookAt(session)));
        }
    }

    private void lookAt(Known session) {
        boolean isWatched = watched == session;
        watched = isWatched ? null : watched;
        if (isWatched && !session.isAnnounced() && settings.unannounced.getAndIncrement() == 0) {
            LogSealer.warn("no log has the header of session " + session.id + ", so its values cannot be opened\n"
                    + "hint: log through an appender or a layout of Sealmark, or set a side file");
        }
    }

    private void inTurn(Runnable step) {
        StackRoom.require();
        try {
            turn.lock();
            try {
                step.run();
            } finally {
                turn.unlock();
            }
        } finally {
            finishLeft();
        }
    }

    private record Left(Session session, boolean isClosed) {}

    private void finishLeft() {
        for (Left next = left.poll(); next != null; next = left.poll()) {
            Session session = next.session;
            try {
                if (!next.isClosed) {
                    KnownSessions.ended(session.id(), session.close());
                    settings.ended.add(session.count());
                }
            } finally {
                session.destroy();
            }
        }
    }

    private Session begin() throws SealException {
        if (turn.isHeldByCurrentThread()) {
            throw new SealException("a value was logged while its log session was being started by the same thread");
        }
        StackRoom.require();
        turn.lock();
        try {
            if (current == null) {
                checkMayBegin();
                current = announced();
                failure = null;
            }
            return current;
        } finally {
            turn.unlock();
        }
    }

    /** A session that could not begin a moment ago is not tried again for each value. */
    private void checkMayBegin() throws SealException {
        if (closed || (root != null && root.closed)) {
            throw new SealException(refusal);
        }
        if (suspended || (root != null && root.suspended)) {
            throw new SealException("the process is being checkpointed");
        }
        if (failure != null && System.nanoTime() - failedAt < PAUSE_NANOS) {
            throw failure;
        }
    }

    /** A session whose header everybody can have before its first token. */
    private Session announced() throws SealException {
        Session session = null;
        try {
            session = settings.engine.begin(settings.readers, settings.padding, settings.valuesOfASession, previous);
            if (settings.sideFile != null) {
                settings.sideFile.append(session);
            }
            String id = session.id();
            aging = Ages.after(settings.age, this, me -> me.leave(id));
            known = KnownSessions.add(session, this);
            watch(known);
            return session;
        } catch (SealException | RuntimeException | Error error) {
            failure = error instanceof SealException known ? known : new SealException("no log session: " + error, error);
            failedAt = System.nanoTime();
            if (session != null) {
                session.destroy();
            }
            throw failure;
        }
    }

    /** True if a closing token names no unused counters: its body is a count and a tag only. */
    private static boolean isCountAll(String closing) {
        return closing.length() - closing.lastIndexOf('~', closing.length() - 2) == 2 + COUNT_AND_TAG;
    }

    /** A log has asked for the header of a session. */
    void askedBy(SessionLines asking) {
        if (!log.compareAndSet(null, new WeakReference<>(asking)) && log.get().get() != asking) {
            hasSeveralLogs = true;
        }
    }

    /**
     * Ends the session in use: nothing more is sealed in it, and its key is wiped, even if closing it fails. If a thread was lost
     * in it, it is closed outside of the turn, for which all others would wait, and the next header does not name it.
     */
    private void endCurrent() {
        Session ended = current;
        if (ended == null) {
            return;
        }
        current = null;
        aging.cancel(false);
        previous = null;
        boolean isAtRest = ended.isAtRest();
        try {
            left.add(new Left(ended, isAtRest));
        } catch (Error noMemory) {
            ended.destroy();
            throw noMemory;
        }
        if (!isAtRest) {
            return;
        }
        String closing = null;
        try {
            closing = ended.close();
            settings.ended.add(ended.count());
            previous = closing == null || hasSeveralLogs || !known.isAnnounced() ? null
                    : new Previous(ended.id(), isCountAll(closing) ? OptionalLong.of(ended.count()) : OptionalLong.empty());
        } finally {
            KnownSessions.ended(ended.id(), closing);
        }
    }
}
