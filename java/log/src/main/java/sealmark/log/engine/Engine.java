package sealmark.log.engine;

import sealmark.log.wrap.Previous;
import sealmark.log.wrap.Readers;

/** A way to make sessions. */
public abstract class Engine {
    /** {@code native} or {@code pure-java}, and why where native code was wanted. */
    public abstract String name();

    /**
     * Finds out early whether sessions can be begun.
     *
     * @throws IllegalStateException if this engine cannot seal to one of them; the hint says what to add
     */
    public abstract void require(Readers readers);

    /**
     * A new random session.
     *
     * @param readers who can open it
     * @param padding values are padded to a multiple of so many bytes; 0 for none
     * @param limit it ends after so many values, or a little before
     * @param previous the session before it in the same log; null if that is not known
     * @throws SealException if there is no randomness, or no provider of the readers' key encapsulation
     */
    public abstract Session begin(Readers readers, int padding, long limit, Previous previous)
            throws SealException;
}
