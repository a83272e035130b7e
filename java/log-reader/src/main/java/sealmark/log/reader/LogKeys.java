package sealmark.log.reader;

import java.util.List;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.wrap.Kem;

/** The keys that logs are opened with. They stay the caller's, and are not copied. */
record LogKeys(List<Identity> identities, List<PreSharedKey> preShared) {
    /**
     * Tries all of these. None at all opens nothing, and still tells malformed headers from others.
     *
     * @throws IllegalStateException if this Java runtime cannot open with one of them; the hint says what to add
     */
    public LogKeys {
        identities.forEach(identity -> BouncyCastle.requireFor(Kem.ofWord(identity.type())));
        identities = List.copyOf(identities);
        preShared = List.copyOf(preShared);
    }

    /** The identities of a stanza's type. */
    List<Identity> identities(int type) {
        return identities.stream().filter(identity -> Kem.ofWord(identity.type()).id() == type).toList();
    }
}
