package sealmark.log.wrap;

import java.util.List;
import sealmark.log.keys.Identity;
import sealmark.log.keys.PreSharedKey;

/** The keys that logs are opened with. They stay the caller's, and are not copied. */
public final class LogKeys {
    private final List<Identity> identities;
    private final List<PreSharedKey> preShared;

    private LogKeys(List<Identity> identities, List<PreSharedKey> preShared) {
        this.identities = identities;
        this.preShared = preShared;
    }

    /**
     * Tries all of these. None at all opens nothing, and still tells malformed headers from others.
     *
     * @throws IllegalStateException if this Java runtime cannot open with one of them; the hint says what to add
     */
    public static LogKeys of(List<Identity> identities, List<PreSharedKey> preShared) {
        identities.forEach(identity -> Kem.ofWord(identity.type()).orElseThrow().scheme().requireOpening());
        return new LogKeys(List.copyOf(identities), List.copyOf(preShared));
    }

    /** The identities of a stanza's type. */
    List<Identity> identities(int type) {
        return identities.stream().filter(identity -> Kem.ofWord(identity.type()).orElseThrow().id() == type).toList();
    }

    List<PreSharedKey> preShared() {
        return preShared;
    }
}
