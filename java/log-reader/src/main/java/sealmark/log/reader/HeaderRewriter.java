package sealmark.log.reader;

import java.util.List;
import java.util.Optional;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;
import sealmark.log.wrap.Header;
import sealmark.log.wrap.Kem;
import sealmark.log.wrap.Readers;
import sealmark.log.wrap.SessionSecret;

/** Wraps the keys of sessions for other readers (spec/record.md, "Re-keying"). Tokens stay as they are. */
public final class HeaderRewriter {
    private final LogKeys keys;
    private final Readers readers;

    /**
     * Rewrites with these keys. They stay the caller's.
     *
     * @param identities secret keys that open the headers
     * @param preShared pre-shared keys that open the headers
     * @param recipients who can open the new ones
     * @throws IllegalArgumentException if recipients are missing, too many, or classic beside post-quantum ones
     */
    public HeaderRewriter(List<Identity> identities, List<PreSharedKey> preShared, List<Recipient> recipients) {
        keys = new LogKeys(identities, preShared);
        readers = Readers.of(recipients);
        readers.requireSealing();
    }

    /**
     * A new header for the session of another one.
     *
     * @param header as {@link HeaderCollector} collects it
     * @return empty if none of the keys opens it, or it is damaged
     * @throws IllegalArgumentException if the new one would be post-quantum, but the header is not: whoever recorded that one
     *     needs no other
     */
    public Optional<byte[]> rewrite(byte[] header) {
        try (SessionSecret secret = HeaderReader.open(header, keys)) {
            // A stanza of a type that this version does not know may be classic.
            boolean isPostQuantum = ParsedHeader.parse(header).stanzas().stream().allMatch(stanza ->
                    stanza.type() == Header.PRE_SHARED
                            || Kem.find(kem -> kem.id() == stanza.type()).filter(Kem::isPostQuantum).isPresent());
            if (!isPostQuantum && readers.recipients().stream().allMatch(Recipient::isPostQuantum)) {
                throw new IllegalArgumentException("a log that was sealed to a classic or unknown key cannot become"
                        + " post-quantum by a new header alone\nhint: open the log and seal it again");
            }
            return Optional.of(secret.rewrapped(header, readers));
        } catch (HeaderException notOpened) {
            return Optional.empty();
        }
    }
}
