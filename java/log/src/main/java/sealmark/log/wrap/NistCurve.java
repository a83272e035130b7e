package sealmark.log.wrap;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.util.Arrays;
import javax.crypto.KeyAgreement;

/**
 * A NIST curve by the JCA, with elements as uncompressed points (SEC 1, section 2.3.3).
 *
 * <p>The arithmetic written here is on public points only; what has to do with a private scalar the provider does.
 */
final class NistCurve implements Group {
    private final String name;
    private final int scalarLength;
    private final int seedLength;
    private volatile ECParameterSpec found;

    /** The curve of that name, of a size in bytes; scalars are drawn from seeds of {@code seedLength} bytes. */
    NistCurve(String name, int scalarLength, int seedLength) {
        this.name = name;
        this.scalarLength = scalarLength;
        this.seedLength = seedLength;
    }

    @Override
    public int seedLength() {
        return seedLength;
    }

    @Override
    public boolean isElement(byte[] element) {
        return element.length == elementLength() && element[0] == 4 && isOnCurve(point(element));
    }

    @Override
    public boolean isScalar(byte[] scalar) {
        BigInteger value = new BigInteger(1, scalar);
        return scalar.length == scalarLength && value.signum() > 0 && value.compareTo(curve().getOrder()) < 0;
    }

    /** The first of the scalars in the seed that is in range (draft-irtf-cfrg-concrete-hybrid-kems, RandomScalar). */
    @Override
    public byte[] scalarOf(byte[] seed) {
        for (int from = 0; from + scalarLength <= seed.length; from += scalarLength) {
            byte[] scalar = Arrays.copyOfRange(seed, from, from + scalarLength);
            if (isScalar(scalar)) {
                return scalar;
            }
            Bytes.wipe(scalar);
        }
        throw new IllegalStateException("internal error: the seed gives no valid scalar of the curve");
    }

    /**
     * The provider multiplies, but gives only the x of a product. Which of the two points with that x it is tells the x
     * of the next multiple of the base.
     */
    @Override
    public byte[] elementOf(byte[] scalar) {
        BigInteger value = new BigInteger(1, scalar);
        ECPoint base = curve().getGenerator();
        if (value.equals(curve().getOrder().subtract(BigInteger.ONE))) {
            return element(negated(base));
        }
        ECPoint one = pointAt(new BigInteger(1, agree(value, base)));
        if (one.getAffineX().equals(base.getAffineX())) {
            return element(base);
        }
        BigInteger next = new BigInteger(1, agree(value.add(BigInteger.ONE), base));
        return element(xOfSum(one, base).equals(next) ? one : negated(one));
    }

    @Override
    public byte[] agree(byte[] scalar, byte[] element) {
        return agree(new BigInteger(1, scalar), point(element));
    }

    @Override
    public Encapsulated agreeOnce(byte[] element) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(curve());
            KeyPair pair = generator.generateKeyPair();
            byte[] enc = element(((ECPublicKey) pair.getPublic()).getW());
            return new Encapsulated(agree(pair.getPrivate(), point(element)), enc);
        } catch (GeneralSecurityException e) {
            throw unavailable(e);
        }
    }

    private byte[] agree(BigInteger scalar, ECPoint element) {
        try {
            ECPrivateKeySpec spec = new ECPrivateKeySpec(scalar, curve());
            return agree(KeyFactory.getInstance("EC").generatePrivate(spec), element);
        } catch (GeneralSecurityException e) {
            throw unavailable(e);
        }
    }

    private byte[] agree(PrivateKey scalar, ECPoint element) throws GeneralSecurityException {
        PublicKey other = KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(element, curve()));
        KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
        agreement.init(scalar);
        agreement.doPhase(other, true);
        return agreement.generateSecret();
    }

    private int elementLength() {
        return 1 + 2 * scalarLength;
    }

    private ECPoint point(byte[] element) {
        int middle = 1 + scalarLength;
        return new ECPoint(new BigInteger(1, Arrays.copyOfRange(element, 1, middle)),
                new BigInteger(1, Arrays.copyOfRange(element, middle, element.length)));
    }

    private byte[] element(ECPoint point) {
        byte[] element = new byte[elementLength()];
        element[0] = 4;
        write(point.getAffineX(), element, 1 + scalarLength);
        write(point.getAffineY(), element, element.length);
        return element;
    }

    /** Big-endian, up to {@code end}. */
    private static void write(BigInteger value, byte[] out, int end) {
        byte[] bytes = value.toByteArray();
        int skipped = bytes[0] == 0 ? 1 : 0;
        int length = bytes.length - skipped;
        System.arraycopy(bytes, skipped, out, end - length, length);
    }

    private boolean isOnCurve(ECPoint point) {
        BigInteger y = point.getAffineY();
        return point.getAffineX().compareTo(prime()) < 0 && y.compareTo(prime()) < 0
                && y.multiply(y).mod(prime()).equals(square(point.getAffineX()));
    }

    /** The value of y² by the curve's equation. */
    private BigInteger square(BigInteger x) {
        return x.multiply(x).add(curve().getCurve().getA()).multiply(x).add(curve().getCurve().getB()).mod(prime());
    }

    /** One of the two points of an x that has some: the primes of P-256 and P-384 are 3 modulo 4. */
    private ECPoint pointAt(BigInteger x) {
        return new ECPoint(x, square(x).modPow(prime().add(BigInteger.ONE).shiftRight(2), prime()));
    }

    private ECPoint negated(ECPoint point) {
        return new ECPoint(point.getAffineX(), prime().subtract(point.getAffineY()));
    }

    /** The x of the sum of two points that differ in x. */
    private BigInteger xOfSum(ECPoint a, ECPoint b) {
        BigInteger run = a.getAffineX().subtract(b.getAffineX()).modInverse(prime());
        BigInteger slope = a.getAffineY().subtract(b.getAffineY()).multiply(run).mod(prime());
        return slope.multiply(slope).subtract(a.getAffineX()).subtract(b.getAffineX()).mod(prime());
    }

    /** Found when it is first asked for: a small Java runtime may lack it, and need it for no key. */
    private ECParameterSpec curve() {
        ECParameterSpec known = found;
        if (known == null) {
            known = parameters(name);
            found = known;
        }
        return known;
    }

    private BigInteger prime() {
        return ((ECFieldFp) curve().getCurve().getField()).getP();
    }

    private static ECParameterSpec parameters(String name) {
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
            parameters.init(new ECGenParameterSpec(name));
            return parameters.getParameterSpec(ECParameterSpec.class);
        } catch (GeneralSecurityException e) {
            throw unavailable(e);
        }
    }

    private static IllegalStateException unavailable(GeneralSecurityException cause) {
        return new IllegalStateException(
                "this Java runtime lacks a NIST curve\nhint: add the module jdk.crypto.ec to it", cause);
    }
}
