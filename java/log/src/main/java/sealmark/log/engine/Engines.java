package sealmark.log.engine;

/** Which engine runs. */
public final class Engines {
    private Engines() {}

    /**
     * Native code where it can be loaded, unless pure Java is wanted.
     *
     * @throws IllegalStateException where only native code will do and it cannot be loaded
     */
    public static Engine choose(boolean onlyJava, boolean onlyNative) {
        if (onlyNative) {
            throw new IllegalStateException("the native library cannot be loaded");
        }
        return new JavaEngine();
    }
}
