package sealmark.log.engine;

import sealmark.log.wrap.Readers;
import sealmark.log.wrap.SessionSecret;

/** Sessions in pure Java. */
public final class JavaEngine extends Engine {
    private final String name;

    /** Because it is wanted. */
    public JavaEngine() {
        name = "pure-java";
    }

    /** Because native code is not to be had, and why. */
    JavaEngine(String why) {
        name = "pure-java (" + why + ")";
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void require(Readers readers) {
        readers.requireSealing();
    }

    @Override
    public Session begin(Readers readers, int padding, long limit) throws SealException {
        try (SessionSecret secret = SessionSecret.generate()) {
            return new JavaSession(secret, secret.header(readers), padding, limit);
        } catch (RuntimeException error) {
            throw new SealException("no log session: " + error.getMessage(), error);
        }
    }
}
