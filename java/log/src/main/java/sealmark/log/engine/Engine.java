package sealmark.log.engine;

import java.util.Optional;
import sealmark.log.LogSealer;
import sealmark.log.OpenReport.Previous;
import sealmark.log.wrap.Readers;

/** A way to make sessions. */
public interface Engine {
    /**
     * Native code where it can be loaded, unless pure Java is wanted.
     *
     * @throws IllegalStateException if only native code will do and it cannot be loaded
     */
    static Engine choose(LogSealer.Engine wanted) {
        if (wanted == LogSealer.Engine.PURE_JAVA) {
            return new JavaEngine("");
        }
        Optional<String> why = NativeLibrary.missing();
        if (why.isEmpty()) {
            return new NativeEngine();
        }
        if (wanted == LogSealer.Engine.NATIVE) {
            throw new IllegalStateException(why.get());
        }
        return new JavaEngine(why.get());
    }

    /** {@code native} or {@code pure-java}, and why where native code was wanted. */
    String name();

    /**
     * Finds out early whether sessions can be begun.
     *
     * @throws IllegalStateException if this engine cannot seal to one of them; the hint says what to add
     */
    void require(Readers readers);

    /**
     * A new random session.
     *
     * @param readers who can open it
     * @param padding values are padded to a multiple of so many bytes; 0 for none
     * @param limit it ends after so many values, or a little before
     * @param previous the session before it in the same log; null if that is not known
     * @throws SealException if there is no randomness, or no provider of the readers' key encapsulation
     */
    Session begin(Readers readers, int padding, long limit, Previous previous) throws SealException;
}
