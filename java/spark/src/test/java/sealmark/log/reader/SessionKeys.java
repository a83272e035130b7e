package sealmark.log.reader;

import java.util.List;
import sealmark.log.wrap.SessionSecret;

/** The keys of sessions, so that a test can look for them. */
public final class SessionKeys {
    private SessionKeys() {}

    /** The AES key of the values of a session. */
    public static byte[] ofValues(byte[] header, Identity identity) throws HeaderException {
        try (SessionSecret secret = HeaderReader.open(header, new LogKeys(List.of(identity), List.of()))) {
            return secret.valueKey();
        }
    }
}
