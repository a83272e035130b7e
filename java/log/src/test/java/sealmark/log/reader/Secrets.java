package sealmark.log.reader;

import java.util.Optional;
import sealmark.log.wrap.Group;
import sealmark.log.wrap.Kem;

/** Secret keys for the tests of other packages. */
public final class Secrets {
    private Secrets() {}

    public static Optional<byte[]> open(Kem kem, byte[] secret, byte[] enc, byte[] info, byte[] ciphertext) {
        return Decapsulation.open(kem, secret, enc, info, ciphertext);
    }

    public static byte[] decapsulate(Kem kem, byte[] secret, byte[] enc) {
        return Decapsulation.of(kem).decapsulate(secret, enc);
    }

    public static byte[] publicOf(Kem kem, byte[] secret) {
        return Decapsulation.of(kem).publicOf(secret);
    }

    public static boolean isEnc(Kem kem, byte[] enc) {
        return Decapsulation.of(kem).isEnc(enc);
    }

    public static boolean isScalar(Group group, byte[] scalar) {
        return Scalars.of(group).isScalar(scalar);
    }

    public static byte[] scalarOf(Group group, byte[] seed) {
        return Scalars.of(group).scalarOf(seed);
    }

    public static byte[] elementOf(Group group, byte[] scalar) {
        return Scalars.of(group).elementOf(scalar);
    }
}
