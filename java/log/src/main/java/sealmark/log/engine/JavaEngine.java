package sealmark.log.engine;

import sealmark.log.wrap.Readers;
import sealmark.log.wrap.SessionSecret;

/** Sessions in pure Java. */
public final class JavaEngine extends Engine {
    @Override
    public String name() {
        return "pure-java";
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
