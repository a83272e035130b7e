package sealmark.log.reader;

import java.util.Optional;
import org.bouncycastle.crypto.digests.SHAKEDigest;
import org.bouncycastle.crypto.kems.MLKEMExtractor;
import org.bouncycastle.crypto.params.MLKEMParameters;
import org.bouncycastle.crypto.params.MLKEMPrivateKeyParameters;
import sealmark.log.wrap.Kem;
import sealmark.log.wrap.MlKem;

/** ML-KEM with secret keys that are seeds: the JDK has neither these nor SHAKE256 of any length. */
final class BouncyCastle {
    /** Bytes of a secret key: the seed d ‖ z. */
    static final int SEED = 64;

    /** Throws {@link LinkageError} where a class that is used here is missing. */
    private BouncyCastle() {
        byte[] seed = new byte[SEED];
        MlKem set = MlKem.ML_KEM_768;
        publicOf(set, seed);
        shake256(decapsulate(set, seed, new byte[set.encLength()]), 1);
    }

    /**
     * The library.
     *
     * @throws IllegalStateException if the application left it out, or has one that is too old
     */
    static BouncyCastle found() {
        return Found.LIBRARY.orElseThrow(() -> new IllegalStateException("opening with a hybrid or ML-KEM key needs Bouncy Castle"
                + "\nhint: add org.bouncycastle:bcprov-jdk18on (1.86 or newer), or open with `sealmark log open`"));
    }

    /** Throws {@link IllegalStateException} where opening with such keys would; the hint says what to add. */
    static void requireFor(Kem kem) {
        if (kem.isPostQuantum()) {
            found();
        }
    }

    byte[] publicOf(MlKem set, byte[] seed) {
        return new MLKEMPrivateKeyParameters(parameters(set), seed).getPublicKey();
    }

    byte[] decapsulate(MlKem set, byte[] seed, byte[] enc) {
        MLKEMPrivateKeyParameters key = new MLKEMPrivateKeyParameters(parameters(set), seed);
        try {
            return new MLKEMExtractor(key).extractSecret(enc);
        } finally {
            key.destroy();
        }
    }

    byte[] shake256(byte[] seed, int length) {
        SHAKEDigest shake = new SHAKEDigest(256);
        shake.update(seed, 0, seed.length);
        byte[] out = new byte[length];
        shake.doFinal(out, 0, length);
        return out;
    }

    private static MLKEMParameters parameters(MlKem set) {
        return set == MlKem.ML_KEM_768 ? MLKEMParameters.ml_kem_768 : MLKEMParameters.ml_kem_1024;
    }

    /** Looked for once. */
    private static final class Found {
        private static final Optional<BouncyCastle> LIBRARY = library();

        private static Optional<BouncyCastle> library() {
            try {
                return Optional.of(new BouncyCastle());
            } catch (LinkageError e) {
                return Optional.empty();
            }
        }
    }
}
