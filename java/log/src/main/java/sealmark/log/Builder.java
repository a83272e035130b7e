package sealmark.log;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import sealmark.log.engine.Session;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;
import sealmark.log.wrap.Readers;

/**
 * Chooses how a log is sealed: the readers, the sessions and the engine. {@link LogSealer#builder} makes one.
 *
 * <pre>{@code
 * LogSealer sealer = LogSealer.builder()
 *         .recipientsFile(Path.of("recipients.txt"))
 *         .rotateAfter(Duration.ofMinutes(10))
 *         .build();
 * }</pre>
 */
public final class Builder {
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
    LogSealer.Engine engine = LogSealer.Engine.AUTO;

    Builder() {}

    /**
     * Adds a reader by public key. Holders of its secret key can open the log.
     *
     * @param recipient as {@code sealmark keygen} prints it: {@code age1…}, {@code age1pq1…} or {@code sealmark-…}
     * @return this
     * @throws IllegalArgumentException if that is no public key
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
     * @throws IllegalArgumentException if a line is no public key, or there is none
     */
    public Builder recipientsFile(Path file) throws IOException {
        recipients.addAll(Recipient.readAll(file));
        return this;
    }

    /**
     * Makes holders of the same pre-shared key the only readers.
     *
     * @param key the key, which the sealer uses until it is closed; wiping it is the caller's
     * @return this
     */
    public Builder preSharedKey(PreSharedKey key) {
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
        preSharedKey = PreSharedKey.read(file);
        ownsKey = true;
        return this;
    }

    /**
     * Hides how long values are: their length, plus one, is rounded up to a multiple.
     *
     * @param multiple bytes, 1 to 1,048,576; or 0, which is the default, for no padding
     * @return this
     * @throws IllegalArgumentException if it is another number
     */
    public Builder padding(int multiple) {
        return padding((long) multiple);
    }

    /** As before, of a number that may be any. */
    Builder padding(long multiple) {
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
     * @param age an hour, if nobody calls this
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
     * A file that gets the header of every session before anything is sealed with it, beside the logs that get it, too:
     * {@code sealmark log open --side-file} reads it.
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
     * session's tokens. {@link OwnLines} gives it to a log with the first token, and a side file has it from the start.
     *
     * @param time 10 seconds, if nobody calls this; zero or less for no warning
     * @return this
     */
    public Builder headerWithin(Duration time) {
        headerWithin = time;
        return this;
    }

    /**
     * Chooses the engine.
     *
     * @param engine {@link LogSealer.Engine#AUTO}, if nobody calls this
     * @return this
     */
    public Builder engine(LogSealer.Engine engine) {
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

    /** Null if the key is somebody else's, or there is none. */
    PreSharedKey copyOfOwnKey() {
        if (!ownsKey) {
            return null;
        }
        byte[] bytes = preSharedKey.secretBytes();
        try {
            return PreSharedKey.of(bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /** The readers that were named. A key that was read from a file is used by its copy. */
    Readers readers(PreSharedKey copyOfOwnKey) {
        if (preSharedKey == null) {
            return Readers.of(recipients);
        }
        if (!recipients.isEmpty()) {
            throw new IllegalArgumentException("a pre-shared key and recipients cannot be used together");
        }
        return Readers.of(ownsKey ? copyOfOwnKey : preSharedKey);
    }
}
