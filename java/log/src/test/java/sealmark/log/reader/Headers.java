package sealmark.log.reader;

import java.util.List;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.wrap.SessionSecret;

/** Opens headers for the tests of other packages. */
public final class Headers {
    private Headers() {}

    public static SessionSecret open(byte[] header, List<Identity> identities) throws Exception {
        return HeaderReader.open(header, new LogKeys(identities, List.of()));
    }

    public static SessionSecret openShared(byte[] header, List<PreSharedKey> keys) throws Exception {
        return HeaderReader.open(header, new LogKeys(List.of(), keys));
    }
}
