package sealmark.log.engine;

import sealmark.log.wrap.Previous;
import sealmark.log.wrap.Readers;
import sealmark.log.wrap.SessionSecret;

/** Sessions in pure Java. */
public final class JavaEngine extends Engine {
    /** Why native code is not to be had; empty where pure Java is wanted. */
    private final String why;

    /** Because it is wanted. */
    public JavaEngine() {
        this("");
    }

    /** Because native code is not to be had. */
    JavaEngine(String why) {
        this.why = why;
    }

    @Override
    public String name() {
        return why.isEmpty() ? "pure-java" : "pure-java (" + why + ")";
    }

    @Override
    public void require(Readers readers) {
        try {
            readers.requireSealing();
        } catch (IllegalStateException error) {
            String[] lines = error.getMessage().split("(?=\n)", 2);
            throw why.isEmpty() ? error
                    : new IllegalStateException(lines[0] + ", and native code cannot be used: " + why
                            + (lines.length == 1 ? "" : lines[1]), error);
        }
    }

    @Override
    public Session begin(Readers readers, int padding, long limit, Previous previous)
            throws SealException {
        try (SessionSecret secret = SessionSecret.generate()) {
            return new JavaSession(secret, secret.header(readers, previous), padding, limit);
        } catch (RuntimeException error) {
            throw new SealException("no log session: " + error.getMessage(), error);
        }
    }
}
