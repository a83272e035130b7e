package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import sealmark.log.keys.PreSharedKey;

/**
 * Opens sealed logs, in pure Java. People read logs with {@code java -jar sealmark-log-reader.jar open}, or with
 * {@code sealmark log open}.
 *
 * <pre>{@code
 * try (LogOpener opener = LogOpener.builder().identitiesFile(Path.of("key.txt")).build()) {
 *     byte[] plain = opener.open(Files.readAllBytes(Path.of("app.log")));
 *     assertTrue(opener.report().isWhole());
 * }
 * }</pre>
 *
 * <p>The opener replaces tokens with their values, escaped for their place, removes headers and closing tokens, and leaves all
 * else as it is, byte for byte (spec/record.md, "Opening"). A token that does not open stays, and is counted: see {@link
 * #report}. No value is written before it is authenticated. Memory is bounded for any log: 65,536 sessions whose key
 * is known, 1,024 others, 64 MiB of parts of headers, and a line of 16 MiB.
 *
 * <p>Methods may be called by any thread, and wait for one another.
 */
public final class LogOpener implements AutoCloseable {
    /** Wipe the keys that were read here. */
    private final List<Runnable> ownKeys;
    private final Sessions sessions;
    private final Ledger ledger;
    private final LineOpener opener;
    private final Context context;
    private boolean isClosed;

    private LogOpener(Builder builder) {
        sessions = new Sessions(new LogKeys(builder.identities, builder.preSharedKeys));
        ledger = new Ledger(sessions::facts);
        context = builder.isRaw ? Context.RAW : Context.ESCAPED;
        opener = new LineOpener(sessions, context, Labels.ALL);
        ownKeys = List.copyOf(builder.ownKeys);
    }

    /**
     * Returns a builder for an opener. Add the keys to it.
     *
     * @return a builder that knows no key yet
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Opens a log, or some whole lines of one. Headers count wherever in it they stand.
     *
     * @param log is not changed
     * @return the log as it was before it was sealed, except for tokens that no key opens
     */
    public synchronized byte[] open(byte[] log) {
        requireOpen();
        sessions.learn(log, 0, log.length);
        ByteArrayOutputStream opened = new ByteArrayOutputStream(log.length);
        try {
            opener.open(log, 0, log.length, opened);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        ledger.add(opener.findings());
        return opened.toByteArray();
    }

    /**
     * Opens a log to its end, in blocks, on all cores. Lines wait for the header of a token in them, up to 16 MiB, and not while
     * no text comes for a second. Lines of more than 16 MiB stay as they are, and are counted.
     *
     * @param log is read to its end, and not closed
     * @param opened gets each opened line as soon as {@code log} has it, is flushed, and not closed
     * @throws IOException from the streams; what was written until then is authentic. If {@code opened} fails while lines
     *     wait, a thread may still be reading {@code log}
     */
    public synchronized void open(InputStream log, OutputStream opened) throws IOException {
        requireOpen();
        try (Opening opening = new Opening(sessions, context, Labels.ALL, this::count, opened)) {
            opening.read(log, 0, false);
        }
    }

    private void count(Block block, Findings found) {
        ledger.longLines += block.kind() == Block.Kind.LAST_PIECE ? 1 : 0;
        ledger.add(found);
    }

    /**
     * Opens a single token of a session whose header was learned.
     *
     * @param token all of it and nothing else
     * @return its value; empty if the text is not a token, or if the token does not open, which {@link #report} counts
     */
    public synchronized Optional<byte[]> openToken(String token) {
        requireOpen();
        // A character outside of Latin-1 becomes "?", which is in no token.
        byte[] text = token.getBytes(ISO_8859_1);
        Optional<byte[]> value = opener.openToken(text, 0, text.length);
        ledger.add(opener.findings());
        return value;
    }

    /**
     * Learns headers.
     *
     * @param text whole lines of a log or of a side file
     * @return how many parts of headers it met
     */
    public synchronized int learn(byte[] text) {
        requireOpen();
        return sessions.learn(text, 0, text.length);
    }

    /**
     * Learns the headers in a side file or a log, line by line; lines of more than 16 MiB are not looked at.
     *
     * @param file is read now
     * @return how many parts of headers it met
     * @throws IOException if it cannot be read
     */
    public synchronized int learn(Path file) throws IOException {
        requireOpen();
        try (InputStream in = Files.newInputStream(file)) {
            return sessions.learn(in);
        }
    }

    /**
     * The counts of all tokens that were met so far.
     *
     * @return a report that does not change any more
     */
    public synchronized OpenReport report() {
        return ledger.report();
    }

    /** Wipes the keys that were read from text and files, and those of sessions. Opens nothing from then on. */
    @Override
    public synchronized void close() {
        isClosed = true;
        sessions.destroy();
        ownKeys.forEach(Runnable::run);
    }

    @Override
    public String toString() {
        return "LogOpener";
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("this LogOpener is closed; make a new one");
        }
    }

    /** The keys that logs are opened with. {@link LogOpener#builder} makes one, and {@link #build} ends its use. */
    public static final class Builder {
        private final List<Identity> identities = new ArrayList<>();
        private final List<PreSharedKey> preSharedKeys = new ArrayList<>();
        private final List<Runnable> ownKeys = new ArrayList<>();

        private boolean isRaw;

        private Builder() {}

        /**
         * Leaves line breaks in values as they are, outside of JSON strings: a value can then add lines to the log. Without
         * this, they are written as {@code \n} and {@code \r} there.
         *
         * @return this
         */
        public Builder raw() {
            isRaw = true;
            return this;
        }

        /**
         * Adds a secret key.
         *
         * @param identity as {@code sealmark keygen} prints it: {@code AGE-SECRET-KEY-…} or
         *     {@code SEALMARK-SECRET-KEY-…}
         * @return this
         * @throws IllegalArgumentException if that is not a secret key
         */
        public Builder identity(CharSequence identity) {
            return identities(List.of(Identity.parse(identity)));
        }

        /**
         * Adds the secret keys in a file, one a line; empty lines and those that begin with {@code #} are skipped.
         *
         * @param file is read now
         * @return this
         * @throws IOException if it cannot be read
         * @throws IllegalArgumentException if a line is not a secret key, or there is none
         */
        public Builder identitiesFile(Path file) throws IOException {
            return identities(Identity.readAll(file));
        }

        /**
         * Adds a pre-shared key.
         *
         * @param key the key; the caller wipes it after the opener's last use
         * @return this
         */
        public Builder preSharedKey(PreSharedKey key) {
            preSharedKeys.add(key);
            return this;
        }

        /**
         * Adds the pre-shared keys in a file, one a line; empty lines and those that begin with {@code #} are skipped.
         *
         * @param file is read now
         * @return this
         * @throws IOException if it cannot be read
         * @throws IllegalArgumentException if a line is not a pre-shared key, or there is none
         */
        public Builder preSharedKeyFile(Path file) throws IOException {
            List<PreSharedKey> keys = PreSharedKey.readAll(file);
            preSharedKeys.addAll(keys);
            keys.forEach(key -> ownKeys.add(key::close));
            return this;
        }

        /**
         * An opener, which knows no session yet. Without any key it finds tokens and opens none.
         *
         * @return close it when the logs are read
         * @throws IllegalStateException if this JVM cannot open with one of the keys; the hint says what to add
         */
        public LogOpener build() {
            return new LogOpener(this);
        }

        private Builder identities(List<Identity> more) {
            identities.addAll(more);
            more.forEach(key -> ownKeys.add(key::close));
            return this;
        }
    }
}
