package sealmark.log.reader;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.util.Arrays;
import sealmark.log.wrap.Bytes;
import sealmark.log.wrap.Curve25519;
import sealmark.log.wrap.Group;
import sealmark.log.wrap.NistCurve;

/** The secret scalars of a Diffie-Hellman group. */
sealed interface Scalars {
    /** The scalars of a group. */
    static Scalars of(Group group) {
        return group instanceof NistCurve curve ? new OfNistCurve(curve) : new OfCurve25519();
    }

    /** Bytes of a seed that a scalar is made of. */
    int seedLength();

    /** True if these bytes are a secret scalar. */
    boolean isScalar(byte[] scalar);

    /** The scalar of a seed. */
    byte[] scalarOf(byte[] seed);

    /** The public element of a scalar. */
    byte[] elementOf(byte[] scalar);

    /** The shared secret with {@code element}, which was checked. */
    byte[] agree(byte[] scalar, byte[] element);

    /** X25519 (RFC 7748). */
    record OfCurve25519() implements Scalars {
        @Override
        public int seedLength() {
            return Curve25519.LENGTH;
        }

        @Override
        public boolean isScalar(byte[] scalar) {
            return scalar.length == Curve25519.LENGTH;
        }

        @Override
        public byte[] scalarOf(byte[] seed) {
            return seed.clone();
        }

        @Override
        public byte[] elementOf(byte[] scalar) {
            byte[] base = new byte[Curve25519.LENGTH];
            base[0] = 9;
            return agree(scalar, base);
        }

        @Override
        public byte[] agree(byte[] scalar, byte[] element) {
            return Curve25519.agreement(scalar, element)
                    .orElseThrow(() -> new IllegalStateException("an element of low order"));
        }
    }

    /** A NIST curve. The arithmetic written here is on public points only: the provider multiplies by private scalars. */
    record OfNistCurve(NistCurve curve) implements Scalars {
        @Override
        public int seedLength() {
            return curve == NistCurve.P256 ? 128 : 48;
        }

        @Override
        public boolean isScalar(byte[] scalar) {
            BigInteger value = new BigInteger(1, scalar);
            return scalar.length == curve.scalarLength() && value.signum() > 0 && value.compareTo(order()) < 0;
        }

        /** The first of the scalars in the seed that is in range (draft-irtf-cfrg-concrete-hybrid-kems, RandomScalar). */
        @Override
        public byte[] scalarOf(byte[] seed) {
            int length = curve.scalarLength();
            for (int from = 0; from + length <= seed.length; from += length) {
                byte[] scalar = Arrays.copyOfRange(seed, from, from + length);
                if (isScalar(scalar)) {
                    return scalar;
                }
                Bytes.wipe(scalar);
            }
            throw new IllegalStateException("internal error: the seed gives no valid scalar of the curve");
        }

        /**
         * The provider multiplies, but gives only the x of a product. The x of the next multiple of the base tells which of the
         * two points with that x it is.
         */
        @Override
        public byte[] elementOf(byte[] scalar) {
            BigInteger value = new BigInteger(1, scalar);
            ECPoint base = curve.curve().getGenerator();
            if (value.equals(order().subtract(BigInteger.ONE))) {
                return curve.element(negated(base));
            }
            ECPoint one = pointAt(new BigInteger(1, agree(value, base)));
            if (one.getAffineX().equals(base.getAffineX())) {
                return curve.element(base);
            }
            BigInteger next = new BigInteger(1, agree(value.add(BigInteger.ONE), base));
            return curve.element(xOfSum(one, base).equals(next) ? one : negated(one));
        }

        @Override
        public byte[] agree(byte[] scalar, byte[] element) {
            return agree(new BigInteger(1, scalar), curve.point(element));
        }

        private byte[] agree(BigInteger scalar, ECPoint element) {
            try {
                ECPrivateKeySpec spec = new ECPrivateKeySpec(scalar, curve.curve());
                return curve.agree(KeyFactory.getInstance("EC").generatePrivate(spec), element);
            } catch (GeneralSecurityException e) {
                throw NistCurve.unavailable(e);
            }
        }

        /** One of the two points of an x that has some: the primes of P-256 and P-384 are 3 modulo 4. */
        private ECPoint pointAt(BigInteger x) {
            BigInteger prime = curve.prime();
            return new ECPoint(x, curve.square(x).modPow(prime.add(BigInteger.ONE).shiftRight(2), prime));
        }

        private ECPoint negated(ECPoint point) {
            return new ECPoint(point.getAffineX(), curve.prime().subtract(point.getAffineY()));
        }

        /** The x of the sum of two points that differ in x. */
        private BigInteger xOfSum(ECPoint a, ECPoint b) {
            BigInteger run = a.getAffineX().subtract(b.getAffineX()).modInverse(curve.prime());
            BigInteger slope = a.getAffineY().subtract(b.getAffineY()).multiply(run).mod(curve.prime());
            return slope.multiply(slope).subtract(a.getAffineX()).subtract(b.getAffineX()).mod(curve.prime());
        }

        private BigInteger order() {
            return curve.curve().getOrder();
        }
    }
}
