package sealmark.log.wrap;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.KeyAgreement;

/** X25519 (RFC 7748) by the JCA. Keys go in and out by their encodings (RFC 8410), which every provider knows. */
public final class Curve25519 implements Group {
    private static final String NAME = "X25519";
    public static final int LENGTH = 32;
    private static final byte[] PUBLIC = HexFormat.of().parseHex("302a300506032b656e032100");
    private static final byte[] PRIVATE = HexFormat.of().parseHex("302e020100300506032b656e04220420");
    /** A provider may refuse zero as a private key, so that a scalar of zeros would find no element. */
    private static final byte[] ANY_SCALAR = HexFormat.of().parseHex("55".repeat(LENGTH));

    /** Every scalar sends an element of low order to zero, so that everybody knows the shared secret (RFC 9180, 7.1.4). */
    @Override
    public boolean isElement(byte[] element) {
        return element.length == LENGTH && agreement(ANY_SCALAR, element).isPresent();
    }

    @Override
    public Encapsulated agreeOnce(byte[] element) {
        try {
            KeyPair pair = KeyPairGenerator.getInstance(NAME).generateKeyPair();
            byte[] encoded = pair.getPublic().getEncoded();
            byte[] enc = Arrays.copyOfRange(encoded, encoded.length - LENGTH, encoded.length);
            return new Encapsulated(agreement(pair.getPrivate(), element).orElseThrow(), enc);
        } catch (GeneralSecurityException e) {
            throw unavailable(e);
        }
    }

    /** The shared secret; empty if the element is of low order. */
    public static Optional<byte[]> agreement(byte[] scalar, byte[] element) {
        byte[] encoded = Bytes.concat(PRIVATE, scalar);
        try {
            PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(encoded);
            return agreement(KeyFactory.getInstance(NAME).generatePrivate(spec), element);
        } catch (GeneralSecurityException e) {
            throw unavailable(e);
        } finally {
            Bytes.wipe(encoded);
        }
    }

    private static Optional<byte[]> agreement(PrivateKey scalar, byte[] element) throws GeneralSecurityException {
        X509EncodedKeySpec spec = new X509EncodedKeySpec(Bytes.concat(PUBLIC, element));
        PublicKey other = KeyFactory.getInstance(NAME).generatePublic(spec);
        KeyAgreement agreement = KeyAgreement.getInstance(NAME);
        agreement.init(scalar);
        try {
            agreement.doPhase(other, true);
            byte[] secret = agreement.generateSecret();
            return Bytes.isZero(secret, 0, secret.length) ? Optional.empty() : Optional.of(secret);
        } catch (InvalidKeyException | IllegalStateException e) {
            // Providers refuse a result of zero so: the JDK's by the first exception, Bouncy Castle's by the second.
            return Optional.empty();
        }
    }

    private static IllegalStateException unavailable(GeneralSecurityException cause) {
        return new IllegalStateException(
                "this Java runtime has no X25519\nhint: add the module jdk.crypto.ec to it", cause);
    }
}
