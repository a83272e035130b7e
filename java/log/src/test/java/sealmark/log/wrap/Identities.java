package sealmark.log.wrap;

import java.security.SecureRandom;
import java.util.Arrays;
import sealmark.log.reader.Identity;

/** Makes secret keys of all types for tests. */
final class Identities {
    private Identities() {}

    /** Makes a new key. Any bytes make a key, except for a few of P-256 that do not occur by chance. */
    static Identity of(Kem kem) {
        byte[] secret = new byte[kem == Kem.MLKEM768 || kem == Kem.MLKEM1024 ? 64 : 32];
        new SecureRandom().nextBytes(secret);
        return of(kem, secret);
    }

    static Identity of(Kem kem, byte[] secret) {
        return Identity.parse(String.valueOf(Bech32.encode(kem.identityPrefix(), secret, true)));
    }

    static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
