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
import java.security.spec.ECPublicKeySpec;
import java.util.Arrays;
import javax.crypto.KeyAgreement;

/**
 * A NIST curve by the JCA, with elements as uncompressed points (SEC 1, section 2.3.3). The arithmetic written here is on public
 * points only: the provider multiplies by private scalars.
 */
public final class NistCurve implements Group {
    public static final NistCurve P256 = new NistCurve("secp256r1", 32);
    public static final NistCurve P384 = new NistCurve("secp384r1", 48);

    private final String name;
    private final int scalarLength;
    private volatile ECParameterSpec found;

    private NistCurve(String name, int scalarLength) {
        this.name = name;
        this.scalarLength = scalarLength;
    }

    /** Bytes of a scalar, and of a coordinate. */
    public int scalarLength() {
        return scalarLength;
    }

    @Override
    public boolean isElement(byte[] element) {
        return element.length == elementLength() && element[0] == 4 && isOnCurve(point(element));
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

    /** The x of the product. */
    public byte[] agree(PrivateKey scalar, ECPoint element) throws GeneralSecurityException {
        PublicKey other = KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(element, curve()));
        KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
        agreement.init(scalar);
        agreement.doPhase(other, true);
        return agreement.generateSecret();
    }

    private int elementLength() {
        return 1 + 2 * scalarLength;
    }

    public ECPoint point(byte[] element) {
        int middle = 1 + scalarLength;
        return new ECPoint(new BigInteger(1, Arrays.copyOfRange(element, 1, middle)),
                new BigInteger(1, Arrays.copyOfRange(element, middle, element.length)));
    }

    public byte[] element(ECPoint point) {
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
    public BigInteger square(BigInteger x) {
        return x.multiply(x).add(curve().getCurve().getA()).multiply(x).add(curve().getCurve().getB()).mod(prime());
    }

    /** Found when it is first asked for: a small Java runtime may lack it, and need it for no key. */
    public ECParameterSpec curve() {
        ECParameterSpec known = found;
        if (known == null) {
            known = parameters(name);
            found = known;
        }
        return known;
    }

    public BigInteger prime() {
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

    public static IllegalStateException unavailable(GeneralSecurityException cause) {
        return new IllegalStateException(
                "this Java runtime lacks a NIST curve\nhint: add the module jdk.crypto.ec to it", cause);
    }
}
