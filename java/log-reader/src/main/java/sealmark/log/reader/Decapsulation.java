package sealmark.log.reader;

import java.util.Arrays;
import java.util.Optional;
import sealmark.log.wrap.Bytes;
import sealmark.log.wrap.DhKem;
import sealmark.log.wrap.HybridKem;
import sealmark.log.wrap.Hpke;
import sealmark.log.wrap.Kem;
import sealmark.log.wrap.KemScheme;
import sealmark.log.wrap.MlKem;
import sealmark.log.wrap.Secret;

/** How one KEM opens, with secret keys (spec/file.md, "Keys"). {@link KemScheme} seals. */
sealed interface Decapsulation {
    /** The way to open what a KEM sealed. */
    static Decapsulation of(Kem kem) {
        KemScheme scheme = kem.scheme();
        if (scheme instanceof DhKem dh) {
            return new OfDh(dh, Scalars.of(dh.group()));
        }
        if (scheme instanceof HybridKem hybrid) {
            return new OfHybrid(hybrid, Scalars.of(hybrid.group()));
        }
        return new OfLattice((MlKem) scheme);
    }

    /** Opens HPKE's one message (RFC 9180); empty where the ciphertext was not made for this key. */
    static Optional<byte[]> open(Kem kem, byte[] secret, byte[] enc, byte[] info, byte[] ciphertext) {
        byte[] shared = of(kem).decapsulate(secret, enc);
        try (Hpke.Message message = Hpke.Message.of(kem, shared, info)) {
            return Optional.ofNullable(
                    new TokenCipher().decrypt(new Secret("AES", message.key()), message.nonce(), ciphertext));
        } finally {
            Bytes.wipe(shared);
        }
    }

    /** True if these bytes are a secret key. */
    boolean isSecret(byte[] secret);

    /** True if these bytes can be an encapsulated key. */
    boolean isEnc(byte[] enc);

    /**
     * The shared secret of {@code enc}, which was checked.
     *
     * @throws IllegalStateException if this Java runtime cannot; the hint says what to add
     */
    byte[] decapsulate(byte[] secret, byte[] enc);

    /**
     * The public key of a secret one.
     *
     * @throws IllegalStateException if this Java runtime cannot; the hint says what to add
     */
    byte[] publicOf(byte[] secret);

    /** DHKEM (RFC 9180, section 4.1). */
    record OfDh(DhKem kem, Scalars scalars) implements Decapsulation {
        @Override
        public boolean isSecret(byte[] secret) {
            return scalars.isScalar(secret);
        }

        @Override
        public boolean isEnc(byte[] enc) {
            return kem.group().isElement(enc);
        }

        @Override
        public byte[] decapsulate(byte[] secret, byte[] enc) {
            byte[] agreed = scalars.agree(secret, enc);
            try {
                return kem.secret(agreed, enc, scalars.elementOf(secret));
            } finally {
                Bytes.wipe(agreed);
            }
        }

        @Override
        public byte[] publicOf(byte[] secret) {
            return scalars.elementOf(secret);
        }
    }

    /** ML-KEM alone. */
    record OfLattice(MlKem set) implements Decapsulation {
        @Override
        public boolean isSecret(byte[] secret) {
            return secret.length == BouncyCastle.SEED;
        }

        @Override
        public boolean isEnc(byte[] enc) {
            return enc.length == set.encLength();
        }

        @Override
        public byte[] decapsulate(byte[] secret, byte[] enc) {
            return BouncyCastle.found().decapsulate(set, secret, enc);
        }

        @Override
        public byte[] publicOf(byte[] secret) {
            return BouncyCastle.found().publicOf(set, secret);
        }
    }

    /** ML-KEM and a Diffie-Hellman group together; the secret key is a seed of both. */
    record OfHybrid(HybridKem kem, Scalars scalars) implements Decapsulation {
        private static final int LENGTH = 32;

        @Override
        public boolean isSecret(byte[] secret) {
            return secret.length == LENGTH;
        }

        @Override
        public boolean isEnc(byte[] enc) {
            return enc.length > kem.set().encLength() && kem.group().isElement(elementOfEnc(enc));
        }

        @Override
        public byte[] decapsulate(byte[] secret, byte[] enc) {
            byte[] theirs = elementOfEnc(enc);
            byte[] lattice = Arrays.copyOf(enc, kem.set().encLength());
            try (Halves halves = new Halves(secret)) {
                byte[] first = BouncyCastle.found().decapsulate(kem.set(), halves.seed, lattice);
                byte[] second = scalars.agree(halves.scalar, theirs);
                try {
                    return kem.combined(first, second, theirs, scalars.elementOf(halves.scalar));
                } finally {
                    Bytes.wipe(first, second);
                }
            }
        }

        @Override
        public byte[] publicOf(byte[] secret) {
            try (Halves halves = new Halves(secret)) {
                return Bytes.concat(
                        BouncyCastle.found().publicOf(kem.set(), halves.seed), scalars.elementOf(halves.scalar));
            }
        }

        private byte[] elementOfEnc(byte[] enc) {
            return Arrays.copyOfRange(enc, kem.set().encLength(), enc.length);
        }

        /** A secret key's two halves. */
        private final class Halves implements AutoCloseable {
            private final byte[] seed;
            private final byte[] scalar;

            Halves(byte[] secret) {
                byte[] full = BouncyCastle.found().shake256(secret, BouncyCastle.SEED + scalars.seedLength());
                byte[] rest = Arrays.copyOfRange(full, BouncyCastle.SEED, full.length);
                seed = Arrays.copyOf(full, BouncyCastle.SEED);
                scalar = scalars.scalarOf(rest);
                Bytes.wipe(full, rest);
            }

            @Override
            public void close() {
                Bytes.wipe(seed, scalar);
            }
        }
    }
}
