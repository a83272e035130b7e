package sealmark.log.engine;

import sealmark.log.Label;
import sealmark.log.Shape;

/**
 * One log session: its key, its counters, its header (spec/record.md, "Session"). Any number of threads seal at once,
 * without a lock.
 */
public abstract class Session {
    /** The answer of {@link #seal(Kind, Label, byte[], int, int, byte[], int)} after the session has ended. */
    public static final int ENDED = -1;

    /** The most bytes of a value, its padding counted. */
    public static final int MAX_PLAINTEXT = 1 << 20;

    /** The most values of a session. */
    public static final long MAX_VALUES = 1L << 32;

    /** Which session this is: 16 characters of base64url. */
    public abstract String id();

    /** Its header, cut into lines of that shape, each with its line feed. */
    public abstract String headerLines(Shape shape);

    /**
     * The token of a value, which is sealed as UTF-8; a surrogate without its pair becomes {@code ?}.
     *
     * @return null if the session has ended
     * @throws SealException if the value is too long, not of its kind, or cannot be sealed
     */
    public abstract String seal(Kind kind, Label label, String value) throws SealException;

    /**
     * Writes the token of a value at {@code out[at]}; the caller has checked that both ranges lie in their arrays.
     *
     * @return how many bytes it took, or {@link #ENDED}
     * @throws SealException if the value is too long, not of its kind, or cannot be sealed, or the token has no room
     */
    public abstract int seal(Kind kind, Label label, byte[] value, int offset, int length, byte[] out, int at)
            throws SealException;

    /** How many values were sealed. */
    public abstract long count();

    /**
     * Ends the session.
     *
     * @return the closing token, without a line end; null if it has ended before
     */
    public abstract String close();

    /** True if {@link #close} waits for nobody: no thread has been sealing for longer than a moment. */
    public boolean isAtRest() {
        return true;
    }

    /** Wipes its keys; it has ended from then on. May wait for who was sealing. */
    public abstract void destroy();
}
