package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import sealmark.log.engine.Kind;
import sealmark.log.engine.Layout;
import sealmark.log.engine.SealException;
import sealmark.log.engine.Session;
import sealmark.log.engine.StackRoom;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;
import sealmark.log.wrap.Readers;

/**
 * Seals the values of a log over any number of sessions.
 *
 * <p>Any number of threads seal at once, platform threads and virtual ones, without a lock. A method that seals throws only for
 * the caller's own mistakes and never returns the value: a value that cannot be sealed becomes {@link Label#unsealed}, and is
 * counted. A session ends after an hour or 2<sup>32</sup> values, unless {@link Builder} says otherwise, and before the JVM is
 * checkpointed (CRaC); the next begins with the next value. Each log has sessions of its own, whose headers it needs: see {@link
 * SessionLines}.
 *
 * <p>A value that {@code seal} sealed opens as text, inside a JSON string too. A value that {@code sealJson} sealed opens as
 * JSON, in place of the string that its token fills: a number as a number.
 *
 * <pre>{@code
 * LogSealer sealer = LogSealer.builder().recipientsFile(Path.of("recipients.txt")).build();
 * String token = sealer.seal(Label.of("email"), "hanako@example.com");   // ~s1a~email~…
 * }</pre>
 */
public final class LogSealer implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(LogSealer.class.getName());

    private static final long BETWEEN_WARNINGS_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long NEVER = Long.MIN_VALUE;

    private static final String NO_LOG = "the pattern belongs to an appender or a layout that writes no headers";

    /** Seals values whose log is not known, because they are sealed before their line is formatted. */
    private final CurrentSession sessions;
    /** The sessions of each log, which {@link SessionLines} keeps. */
    private final Set<CurrentSession> ofLogs = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private final Layout layout;
    private final boolean isNone;
    /** The sealer that counts failures of this one; null if this one does. */
    private final LogSealer counted;
    private volatile LogSealer withoutLog;
    private final LongAdder failures = new LongAdder();
    private final AtomicLong warned = new AtomicLong(NEVER);
    private volatile String lastFailure;
    private volatile LogSealer successor;

    LogSealer(Builder builder) {
        sessions = new CurrentSession(builder);
        layout = new Layout(builder.padding);
        isNone = false;
        counted = null;
        LOGGER.log(System.Logger.Level.DEBUG, () -> "sealing log records, engine " + engine());
        Checkpoints.endSessionsOf(this);
    }

    private LogSealer(String refusal, LogSealer counted) {
        sessions = new CurrentSession(refusal);
        layout = new Layout(0);
        isNone = true;
        this.counted = counted;
    }

    /** Seals nothing. */
    static LogSealer none() {
        return new LogSealer("no sealer is installed: configure one, or call Sealers.install", null);
    }

    /** Seals nothing, because no log would have the header; counts failures as this sealer's. */
    LogSealer withoutLog() {
        LogSealer known = withoutLog;
        if (known == null) {
            known = new LogSealer(NO_LOG, this);
            withoutLog = known;
        }
        return known;
    }

    /** True for the sealer that {@link #withoutLog} returns. */
    boolean isWithoutLog() {
        return counted != null;
    }

    /** True if readers find headers in a side file, so that a log needs none. */
    boolean hasSideFile() {
        return sessions.hasSideFile();
    }

    boolean isNone() {
        return isNone;
    }

    /** True if these are its sessions for values outside of any line. */
    boolean has(CurrentSession some) {
        return sessions == some;
    }

    /** The sessions of a log that keeps them. */
    CurrentSession ofLog() {
        CurrentSession log = new CurrentSession(sessions);
        ofLogs.add(log);
        return log;
    }

    private CurrentSession here() {
        SessionLines log = isNone ? null : SessionLines.formatting();
        return log == null ? sessions : log.sessionsOf(this);
    }

    private List<CurrentSession> logs() {
        synchronized (ofLogs) {
            return List.copyOf(ofLogs);
        }
    }

    /** Code that makes tokens; each engine makes the same ones. */
    public enum Engine {
        /** Native code where it can be loaded, else pure Java. */
        AUTO,
        /** Native code; {@link Builder#build} throws where it cannot be loaded. */
        NATIVE,
        /** The JDK's ciphers. */
        PURE_JAVA
    }

    /**
     * Returns a builder for a sealer. Add the readers to it.
     *
     * @return a builder that knows no reader yet
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Seals a text.
     *
     * @param label the value's name, in the clear
     * @param value null is the text {@code null}
     * @return its token, or {@link Label#unsealed} if it cannot be sealed
     */
    public String seal(Label label, CharSequence value) {
        return sealObject(Kind.ANY, label, value);
    }

    /**
     * Seals one JSON text: a number, {@code true}, an object, or a string with its quotes. If its token is the whole content of
     * a string of a JSON line, opening replaces the string with the text, byte for byte. Elsewhere in a JSON string the token
     * cannot be opened (spec/record.md, "Opening").
     *
     * @param label the value's name, in the clear
     * @param text null is the JSON text {@code null}
     * @return its token, without quotes, or {@link Label#unsealed} if it cannot be sealed, or is not one JSON text on
     *     one line
     */
    public String sealJson(Label label, CharSequence text) {
        return sealObject(Kind.JSON, label, text);
    }

    /** A {@code toString} that throws is a value that cannot be sealed. */
    String sealObject(Kind kind, Label label, Object value) {
        LogSealer by = this;
        while (true) {
            try {
                return by.sealText(kind, label, String.valueOf(value));
            } catch (Throwable error) {
                LogSealer next = by.successorIfClosed();
                if (next == null) {
                    by.failed(error);
                    return label.unsealed();
                }
                by = next;
            }
        }
    }

    private String sealText(Kind kind, Label label, String text) throws SealException {
        CurrentSession here = here();
        while (true) {
            Session session = here.get();
            String token = session.seal(kind, label, text);
            if (token != null) {
                return token;
            }
            here.leave(session.id());
        }
    }

    /** A chain of successors ends, because {@link Sealers} makes no closed sealer a successor. */
    private LogSealer successorIfClosed() {
        return sessions.isClosed() ? successor : null;
    }

    /**
     * Seals bytes.
     *
     * @param label the value's name, in the clear
     * @param value is not changed
     * @return its token, or {@link Label#unsealed} if it cannot be sealed
     */
    public byte[] seal(Label label, byte[] value) {
        return sealBytes(Kind.ANY, label, value);
    }

    /**
     * Seals one JSON text in UTF-8, as {@link #sealJson(Label, CharSequence)} does.
     *
     * @param label the value's name, in the clear
     * @param text is not changed
     * @return its token, or {@link Label#unsealed} if it cannot be sealed, or is not one JSON text on one line
     */
    public byte[] sealJson(Label label, byte[] text) {
        return sealBytes(Kind.JSON, label, text);
    }

    private byte[] sealBytes(Kind kind, Label label, byte[] value) {
        byte[] token = new byte[tokenLength(label, value.length)];
        int length = sealBytes(kind, label, value, 0, value.length, token, 0);
        return length == token.length ? token : Arrays.copyOf(token, length);
    }

    /**
     * Seals bytes into a buffer, without making an object. Nothing but the token's bytes is written.
     *
     * @param label the value's name, in the clear
     * @param value is not changed
     * @param offset where in it the value begins
     * @param length the value's bytes
     * @param out gets the token, or {@link Label#unsealed} if the value cannot be sealed
     * @param at where the token begins; {@link #tokenLength} bytes must have room there
     * @return how many bytes were written
     * @throws IndexOutOfBoundsException if a range is not in its array: the caller's own mistake
     */
    public int seal(Label label, byte[] value, int offset, int length, byte[] out, int at) {
        return sealBytes(Kind.ANY, label, value, offset, length, out, at);
    }

    /**
     * Seals one JSON text in UTF-8 into a buffer, as {@link #sealJson(Label, CharSequence)} does. Nothing but the
     * token's bytes is written.
     *
     * @param label the value's name, in the clear
     * @param text is not changed
     * @param offset where in it the JSON text begins
     * @param length the JSON text's bytes
     * @param out gets the token, or {@link Label#unsealed} if the text cannot be sealed, or is not one JSON text on
     *     one line
     * @param at where the token begins; {@link #tokenLength} bytes must have room there
     * @return how many bytes were written
     * @throws IndexOutOfBoundsException if a range is not in its array: the caller's own mistake
     */
    public int sealJson(Label label, byte[] text, int offset, int length, byte[] out, int at) {
        return sealBytes(Kind.JSON, label, text, offset, length, out, at);
    }

    private int sealBytes(Kind kind, Label label, byte[] value, int offset, int length, byte[] out, int at) {
        Objects.checkFromIndexSize(offset, length, value.length);
        Objects.checkFromIndexSize(at, tokenLength(label, length), out.length);
        LogSealer by = this;
        while (true) {
            try {
                return by.sealRange(kind, label, value, offset, length, out, at);
            } catch (Throwable error) {
                LogSealer next = by.successorIfClosed();
                if (next == null || next.tokenLength(label, length) > out.length - at) {
                    by.failed(error);
                    return mark(label, out, at);
                }
                by = next;
            }
        }
    }

    private int sealRange(Kind kind, Label label, byte[] value, int offset, int length, byte[] out, int at)
            throws SealException {
        CurrentSession here = here();
        while (true) {
            Session session = here.get();
            int written = session.seal(kind, label, value, offset, length, out, at);
            if (written != Session.ENDED) {
                return written;
            }
            here.leave(session.id());
        }
    }

    /**
     * Counts a value whose text could not be made, so that it cannot be sealed. Adapters of logging frameworks use this.
     *
     * @param label the value's name, in the clear
     * @param reason one line that holds nothing of a value, such as the name of a class; {@link #lastFailure} says it
     * @return {@link Label#unsealed}, to be written in place of the value
     */
    public String unsealed(Label label, String reason) {
        failed(new SealException(reason));
        return label.unsealed();
    }

    private static int mark(Label label, byte[] out, int at) {
        byte[] marker = label.unsealed().getBytes(ISO_8859_1);
        System.arraycopy(marker, 0, out, at, marker.length);
        return marker.length;
    }

    /**
     * Computes the length of a value's token.
     *
     * @param label the value's name
     * @param valueBytes the value's length
     * @return bytes; that of {@link Label#unsealed} for a value that is too long
     */
    public int tokenLength(Label label, int valueBytes) {
        if (valueBytes > maxValue()) {
            return label.unsealed().length();
        }
        return layout.tokenLength(label, valueBytes);
    }

    /**
     * The longest value that can be sealed.
     *
     * @return bytes, 1,048,576 without padding
     */
    public int maxValue() {
        return layout.longestValue();
    }

    /**
     * Names the engine in use.
     *
     * @return {@code native}, or {@code pure-java} and the reason if native code was wanted
     */
    public String engine() {
        return sessions.engine();
    }

    /**
     * Counts the values that were sealed.
     *
     * @return the number of tokens made; approximate while other threads seal
     */
    public long sealed() {
        return sessions.sealed() + logs().stream().mapToLong(CurrentSession::sealedNow).sum();
    }

    /**
     * Counts the values that could not be sealed, and were replaced with {@link Label#unsealed}.
     *
     * @return should be 0
     */
    public long failed() {
        return failures.sum();
    }

    /**
     * Counts the sessions whose header was not written to any log in time ({@link Builder#headerWithin}), so that nobody can
     * open their values. A session that ends sooner may not be counted.
     *
     * @return should be 0
     */
    public long sessionsWithoutHeader() {
        return sessions.unannounced();
    }

    /**
     * The reason why the last value could not be sealed.
     *
     * @return one line that holds nothing of a value; null if no value failed
     */
    public String lastFailure() {
        return lastFailure;
    }

    /**
     * Ends the session; the next begins with the next value. After a roll-over, call it so that the old file can be verified
     * alone. A process restored from a snapshot must call it before it seals; in a JVM with CRaC, that happens by itself.
     */
    public void endSession() {
        sessions.end();
        logs().forEach(CurrentSession::end);
    }

    /** Ends the sessions and wipes their keys, and a pre-shared key that was read for them. Values become markers from now on. */
    @Override
    public void close() {
        // No log's session may begin once the key is wiped.
        sessions.refuse();
        logs().forEach(CurrentSession::close);
        sessions.close();
    }

    boolean isClosed() {
        return sessions.isClosed();
    }

    /** A caller that still holds this sealer after it was closed seals with the other. */
    void handOverTo(LogSealer other) {
        successor = other;
    }

    /** Nothing is sealed before {@link #resume}. */
    void suspend() {
        sessions.suspend();
        logs().forEach(CurrentSession::suspend);
    }

    void resume() {
        sessions.resume();
        logs().forEach(CurrentSession::resume);
    }

    /** Counts each failure, but warns of few, because the application's own log may be failing. */
    private void failed(Throwable error) {
        if (counted != null) {
            counted.failed(error);
            return;
        }
        try {
            failures.increment();
            String what = error instanceof SealException ? firstLine(error.getMessage()) : error.getClass().getName();
            lastFailure = what;
            if (isNone) {
                Management.showNone(this);
            }
            long now = System.nanoTime();
            long before = warned.get();
            if ((before == NEVER || now - before > BETWEEN_WARNINGS_NANOS) && warned.compareAndSet(before, now)) {
                warn("a value was not sealed: " + what);
            }
        } catch (Throwable more) {
            // The log call that brought us here must not fail for it; the marker stands where the value would.
            return;
        }
    }

    /**
     * Warns in another thread, because an appender that is called while it seals takes no further event and would drop the
     * warning. The caller may be deep in its stack, and hold locks that others wait for.
     */
    static void warn(String message) {
        StackRoom.require();
        Ages.soon(() -> LOGGER.log(System.Logger.Level.WARNING, message));
    }

    private static String firstLine(String message) {
        return message.lines().findFirst().orElse("");
    }

    @Override
    public String toString() {
        return "LogSealer(" + engine() + ")";
    }

    /**
     * Chooses how a log is sealed: the readers, the sessions and the engine. {@link #builder} makes one.
     *
     * <pre>{@code
     * LogSealer sealer = LogSealer.builder()
     *         .recipientsFile(Path.of("recipients.txt"))
     *         .rotateAfter(Duration.ofMinutes(10))
     *         .build();
     * }</pre>
     */
    public static final class Builder {
        private static final int MOST_PADDING = Session.MAX_PLAINTEXT;

        private final List<Recipient> recipients = new ArrayList<>();
        private PreSharedKey preSharedKey;
        /** True if nobody else knows the key, so that a sealer wipes its copy when it is closed. */
        private boolean ownsKey;
        int padding;
        long valuesOfASession = Session.MAX_VALUES;
        Duration age = Duration.ofHours(1);
        Duration headerWithin = Duration.ofSeconds(10);
        Path sideFile;
        Engine engine = Engine.AUTO;

        Builder() {}

        /**
         * Adds a reader by public key. Holders of its secret key can open the log.
         *
         * @param recipient as {@code sealmark keygen} prints it: {@code age1…}, {@code age1pq1…} or {@code sealmark-…}
         * @return this
         * @throws IllegalArgumentException if that is not a public key
         */
        public Builder recipient(String recipient) {
            recipients.add(Recipient.parse(recipient));
            return this;
        }

        /**
         * Adds the readers in a file, one public key a line; empty lines and those that begin with {@code #} are skipped.
         *
         * @param file is read now
         * @return this
         * @throws IOException if it cannot be read
         * @throws IllegalArgumentException if a line is not a public key, or there is none
         */
        public Builder recipientsFile(Path file) throws IOException {
            recipients.addAll(Recipient.readAll(file));
            return this;
        }

        /**
         * Makes holders of the same pre-shared key the only readers.
         *
         * @param key the key, which the sealer uses until it is closed; the caller wipes it
         * @return this
         */
        public Builder preSharedKey(PreSharedKey key) {
            wipeOwnKey();
            preSharedKey = key;
            ownsKey = false;
            return this;
        }

        /**
         * Makes holders of the same pre-shared key the only readers.
         *
         * @param file holds one pre-shared key, as {@code sealmark keygen} writes it
         * @return this
         * @throws IOException if it cannot be read
         * @throws IllegalArgumentException if it does not hold exactly one key
         */
        public Builder preSharedKeyFile(Path file) throws IOException {
            PreSharedKey read = PreSharedKey.read(file);
            wipeOwnKey();
            preSharedKey = read;
            ownsKey = true;
            return this;
        }

        /** Callers that build no more sealers wipe the key. Sealers that were built have copies. */
        void wipeOwnKey() {
            if (ownsKey) {
                preSharedKey.close();
            }
        }

        /**
         * Hides how long values are: their length, plus one, is rounded up to a multiple.
         *
         * @param multiple bytes, 1 to 1,048,576; or 0, which is the default, for no padding
         * @return this
         * @throws IllegalArgumentException if it is another number
         */
        public Builder padding(long multiple) {
            if (multiple < 0 || multiple > MOST_PADDING) {
                throw new IllegalArgumentException(
                        "values cannot be padded to " + multiple + " bytes\nhint: use a number from 0 to " + MOST_PADDING);
            }
            padding = (int) multiple;
            return this;
        }

        /**
         * Limits the lifetime of a session: somebody who reads the memory of the process gets the key of that session only.
         *
         * @param age an hour by default
         * @return this
         * @throws IllegalArgumentException if it is zero or negative
         */
        public Builder rotateAfter(Duration age) {
            if (age.isNegative() || age.isZero()) {
                throw new IllegalArgumentException(
                        "the lifetime of a session cannot be " + age + "\nhint: write it like PT1H, which is an hour");
            }
            this.age = age;
            return this;
        }

        /**
         * Limits the number of values of a session.
         *
         * @param values 1 to 2<sup>32</sup>, which is the default; a session may end a little before
         * @return this
         * @throws IllegalArgumentException if it is another number
         */
        public Builder rotateAfterValues(long values) {
            if (values < 1 || values > Session.MAX_VALUES) {
                throw new IllegalArgumentException(
                        "the limit of values cannot be " + values + "\nhint: use a number from 1 to " + Session.MAX_VALUES);
            }
            valuesOfASession = values;
            return this;
        }

        /**
         * Names a side file, which gets the header of every session before the session seals anything. The logs get the
         * headers, too. {@code sealmark log open --side-file} reads it.
         *
         * @param file is appended to, and made where it does not exist; values become markers where it cannot be written, or
         *     another process holds its lock for more than a second
         * @return this
         */
        public Builder sideFile(Path file) {
            sideFile = file;
            return this;
        }

        /**
         * Sets the time after which a warning says that no log has asked for a session's header: without it nobody can open the
         * session's tokens. {@link SessionLines} gives it to a log with the first token, and a side file has it from the start.
         *
         * @param time 10 seconds by default; zero or less for no warning
         * @return this
         */
        public Builder headerWithin(Duration time) {
            headerWithin = time;
            return this;
        }

        /**
         * Chooses the engine.
         *
         * @param engine {@link Engine#AUTO} by default
         * @return this
         */
        public Builder engine(Engine engine) {
            this.engine = engine;
            return this;
        }

        /**
         * A sealer, which begins its first session with its first value.
         *
         * @return close it when the log ends
         * @throws IllegalArgumentException if there is no reader, a pre-shared key together with recipients, or classic together
         *     with post-quantum recipients
         * @throws IllegalStateException if native code was asked for and cannot be loaded, or this JVM cannot seal for a
         *     recipient; says why native code is not used
         */
        public LogSealer build() {
            return new LogSealer(this);
        }

        /** Returns null if the key is somebody else's, or there is none. */
        PreSharedKey copyOfOwnKey() {
            return ownsKey ? preSharedKey.copy() : null;
        }

        /** The readers that were named. A key that was read from a file is used by its copy. */
        Readers readers(PreSharedKey copyOfOwnKey) {
            return new Readers(recipients, Optional.ofNullable(ownsKey ? copyOfOwnKey : preSharedKey));
        }
    }
}
