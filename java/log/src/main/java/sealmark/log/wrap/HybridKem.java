package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * ML-KEM and a Diffie-Hellman group together (draft-irtf-cfrg-concrete-hybrid-kems, of which X-Wing is one): keys and
 * encapsulated keys are those of ML-KEM and behind them the group's.
 */
public record HybridKem(MlKem set, Group group, String label) implements KemScheme {
    @Override
    public boolean isPublic(byte[] key) {
        return set.isPublic(Arrays.copyOf(key, set.publicLength())) && group.isElement(elementOfKey(key));
    }

    @Override
    public Encapsulated encapsulate(byte[] key) {
        byte[] element = elementOfKey(key);
        byte[] lattice = Arrays.copyOf(key, set.publicLength());
        try (Encapsulated first = set.encapsulate(lattice);
                Encapsulated second = group.agreeOnce(element)) {
            byte[] secret = combined(first.secret(), second.secret(), second.enc(), element);
            return new Encapsulated(secret, Bytes.concat(first.enc(), second.enc()));
        }
    }

    private byte[] elementOfKey(byte[] key) {
        return Arrays.copyOfRange(key, set.publicLength(), key.length);
    }

    /** C2PRICombiner: the hash of both secrets, of what the group's depends on, and of the KEM's label. */
    public byte[] combined(byte[] first, byte[] second, byte[] theirs, byte[] ours) {
        byte[] input = Bytes.concat(first, second, theirs, ours, label.getBytes(US_ASCII));
        try {
            return MessageDigest.getInstance("SHA3-256").digest(input);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no SHA3-256", e);
        } finally {
            Bytes.wipe(input);
        }
    }
}
