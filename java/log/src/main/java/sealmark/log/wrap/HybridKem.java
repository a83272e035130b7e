package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * ML-KEM and a Diffie-Hellman group together (draft-irtf-cfrg-concrete-hybrid-kems, of which X-Wing is one): keys and
 * encapsulated keys are those of ML-KEM and behind them the group's.
 */
record HybridKem(MlKem set, Group group, String label) implements KemScheme {
    @Override
    public boolean isPublic(byte[] key) {
        return set.isPublic(Arrays.copyOf(key, set.publicLength())) && group.isElement(elementOfKey(key));
    }

    @Override
    public boolean isEnc(byte[] enc) {
        return group.isElement(elementOfEnc(enc));
    }

    @Override
    public Encapsulated encapsulate(byte[] key) {
        byte[] element = elementOfKey(key);
        byte[] lattice = Arrays.copyOf(key, set.publicLength());
        try (Encapsulated first = PostQuantum.sealing().encapsulate(set, lattice);
                Encapsulated second = group.agreeOnce(element)) {
            byte[] secret = combined(first.secret(), second.secret(), second.enc(), element);
            return new Encapsulated(secret, Bytes.concat(first.enc(), second.enc()));
        }
    }

    @Override
    public byte[] decapsulate(byte[] secret, byte[] enc) {
        byte[] theirs = elementOfEnc(enc);
        byte[] lattice = Arrays.copyOf(enc, set.encLength());
        try (Halves halves = new Halves(secret);
                Encapsulated first = new Encapsulated(
                        PostQuantum.opening().decapsulate(set, halves.seed, lattice), lattice);
                Encapsulated second = new Encapsulated(group.agree(halves.scalar, theirs), theirs)) {
            return combined(first.secret(), second.secret(), theirs, group.elementOf(halves.scalar));
        }
    }

    @Override
    public byte[] publicOf(byte[] secret) {
        try (Halves halves = new Halves(secret)) {
            return Bytes.concat(
                    PostQuantum.opening().publicOf(set, halves.seed), group.elementOf(halves.scalar));
        }
    }

    private byte[] elementOfKey(byte[] key) {
        return Arrays.copyOfRange(key, set.publicLength(), key.length);
    }

    private byte[] elementOfEnc(byte[] enc) {
        return Arrays.copyOfRange(enc, set.encLength(), enc.length);
    }

    /** C2PRICombiner: the hash of both secrets, of what the group's depends on, and of the KEM's label. */
    private byte[] combined(byte[] first, byte[] second, byte[] theirs, byte[] ours) {
        byte[] input = Bytes.concat(first, second, theirs, ours, label.getBytes(US_ASCII));
        try {
            return MessageDigest.getInstance("SHA3-256").digest(input);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no SHA3-256", e);
        } finally {
            Bytes.wipe(input);
        }
    }

    /** A secret key's two halves. */
    private final class Halves implements AutoCloseable {
        private final byte[] seed;
        private final byte[] scalar;

        Halves(byte[] secret) {
            byte[] full = PostQuantum.opening().shake256(secret, MlKem.SEED + group.seedLength());
            byte[] rest = Arrays.copyOfRange(full, MlKem.SEED, full.length);
            seed = Arrays.copyOf(full, MlKem.SEED);
            scalar = group.scalarOf(rest);
            Bytes.wipe(full, rest);
        }

        @Override
        public void close() {
            Bytes.wipe(seed, scalar);
        }
    }
}
