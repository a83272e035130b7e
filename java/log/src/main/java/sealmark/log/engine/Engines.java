package sealmark.log.engine;

import java.util.Optional;

/** Which engine runs. */
public final class Engines {
    private Engines() {}

    /**
     * Native code where it can be loaded, unless pure Java is wanted.
     *
     * @throws IllegalStateException if only native code will do and it cannot be loaded
     */
    public static Engine choose(boolean onlyJava, boolean onlyNative) {
        if (onlyJava) {
            return new JavaEngine();
        }
        Optional<String> why = NativeLibrary.missing();
        if (why.isEmpty()) {
            return new NativeEngine();
        }
        if (onlyNative) {
            throw new IllegalStateException(why.get());
        }
        return new JavaEngine(why.get());
    }
}
