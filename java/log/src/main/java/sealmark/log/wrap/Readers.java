package sealmark.log.wrap;

import java.util.List;
import java.util.Optional;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;

/** The readers of a log: each of some recipients, or the holders of one pre-shared key. */
public final class Readers {
    private final List<Recipient> recipients;
    private final Optional<PreSharedKey> preShared;

    private Readers(List<Recipient> recipients, Optional<PreSharedKey> preShared) {
        this.recipients = recipients;
        this.preShared = preShared;
    }

    /**
     * Each of these recipients alone can open the log; its writer cannot.
     *
     * @throws IllegalArgumentException if there are none, more than 1,000, or classic keys beside post-quantum ones:
     *     whoever records the log breaks the classic stanza one day and needs no other
     */
    public static Readers of(List<Recipient> recipients) {
        if (recipients.isEmpty()) {
            throw new IllegalArgumentException(
                    "no recipient given\nhint: make a key with `sealmark keygen` and name its public key");
        }
        if (recipients.size() > Header.MOST_STANZAS) {
            throw new IllegalArgumentException("more than " + Header.MOST_STANZAS + " recipients");
        }
        List<Kem> kems = recipients.stream().map(Recipient::type).map(Kem::ofWord).map(Optional::orElseThrow).toList();
        if (kems.stream().map(Kem::isPostQuantum).distinct().count() > 1) {
            throw new IllegalArgumentException("post-quantum and classic recipients in one log would leave it open to"
                    + " quantum computers\nhint: name recipients of one kind, age1pq… or age1…");
        }
        return new Readers(List.copyOf(recipients), Optional.empty());
    }

    /** The holders of this key can open the log, its writer among them. The key stays the caller's, and is not copied. */
    public static Readers of(PreSharedKey key) {
        return new Readers(List.of(), Optional.of(key));
    }

    /**
     * Asks for what pure Java needs.
     *
     * @throws IllegalStateException if this Java runtime cannot seal to one of them; the hint says what to add
     */
    public void requireSealing() {
        recipients.forEach(recipient -> Kem.ofWord(recipient.type()).orElseThrow().scheme().requireSealing());
    }

    /** All recipients; none where there is a pre-shared key. */
    public List<Recipient> recipients() {
        return recipients;
    }

    /** The pre-shared key; empty where there are recipients. */
    public Optional<PreSharedKey> preShared() {
        return preShared;
    }
}
