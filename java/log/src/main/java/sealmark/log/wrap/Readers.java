package sealmark.log.wrap;

import java.util.List;
import java.util.Optional;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;

/**
 * The readers of a log: each of some recipients, or the holders of one pre-shared key, its writer among them.
 *
 * @param recipients each alone can open the log; none if there is a pre-shared key
 * @param preShared stays the caller's, and is not copied
 */
public record Readers(List<Recipient> recipients, Optional<PreSharedKey> preShared) {
    /**
     * Checks them.
     *
     * @throws IllegalArgumentException if there are none, or both kinds, more than 1,000 recipients, or classic keys beside
     *     post-quantum ones: whoever records the log breaks the classic stanza one day and needs no other
     */
    public Readers {
        if (preShared.isPresent() && !recipients.isEmpty()) {
            throw new IllegalArgumentException("a pre-shared key and recipients cannot be used together");
        }
        if (preShared.isEmpty() && recipients.isEmpty()) {
            throw new IllegalArgumentException(
                    "no recipient given\nhint: make a key with `sealmark keygen` and name its public key");
        }
        if (recipients.size() > Header.MOST_STANZAS) {
            throw new IllegalArgumentException("more than " + Header.MOST_STANZAS + " recipients");
        }
        List<Kem> kems = recipients.stream().map(Recipient::type).map(Kem::ofWord).toList();
        if (kems.stream().map(Kem::isPostQuantum).distinct().count() > 1) {
            throw new IllegalArgumentException("post-quantum and classic recipients in one log would leave it open to"
                    + " quantum computers\nhint: name recipients of one kind, age1pq… or age1…");
        }
        recipients = List.copyOf(recipients);
    }

    /** The holders of secret keys. */
    public static Readers of(List<Recipient> recipients) {
        return new Readers(recipients, Optional.empty());
    }

    /** The holders of a pre-shared key. */
    public static Readers of(PreSharedKey key) {
        return new Readers(List.of(), Optional.of(key));
    }

    /**
     * Asks for what pure Java needs.
     *
     * @throws IllegalStateException if this Java runtime cannot seal to one of them; the hint says what to add
     */
    public void requireSealing() {
        recipients.forEach(recipient -> Kem.ofWord(recipient.type()).requireSealing());
    }
}
