package sealmark.log.engine;

import sealmark.log.OpenReport.Previous;
import sealmark.log.wrap.Readers;
import sealmark.log.wrap.SessionSecret;

/**
 * Sessions in pure Java.
 *
 * @param why why native code is not to be had; empty where pure Java is wanted
 */
public record JavaEngine(String why) implements Engine {
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
