package sealmark.log.wrap;

import java.security.SecureRandom;
import org.bouncycastle.crypto.SecretWithEncapsulation;
import org.bouncycastle.crypto.digests.SHAKEDigest;
import org.bouncycastle.crypto.kems.MLKEMExtractor;
import org.bouncycastle.crypto.kems.MLKEMGenerator;
import org.bouncycastle.crypto.params.MLKEMParameters;
import org.bouncycastle.crypto.params.MLKEMPrivateKeyParameters;
import org.bouncycastle.crypto.params.MLKEMPublicKeyParameters;

/** The only class that names Bouncy Castle, which is no dependency of applications that do not want it. */
final class BouncyCastle implements PostQuantum.Sealing, PostQuantum.Opening {
    private final SecureRandom random = new SecureRandom();

    /** Throws {@link LinkageError} where a class that is used here is missing. */
    BouncyCastle() {
        byte[] seed = new byte[MlKem.SEED];
        MlKem set = MlKem.ML_KEM_768;
        try (Encapsulated shared = encapsulate(set, publicOf(set, seed))) {
            shake256(decapsulate(set, seed, shared.enc()), 1);
        }
    }

    @Override
    public Encapsulated encapsulate(MlKem set, byte[] key) {
        MLKEMPublicKeyParameters recipient = new MLKEMPublicKeyParameters(parameters(set), key);
        SecretWithEncapsulation shared = new MLKEMGenerator(random).generateEncapsulated(recipient);
        return new Encapsulated(shared.getSecret(), shared.getEncapsulation());
    }

    @Override
    public byte[] publicOf(MlKem set, byte[] seed) {
        return new MLKEMPrivateKeyParameters(parameters(set), seed).getPublicKey();
    }

    @Override
    public byte[] decapsulate(MlKem set, byte[] seed, byte[] enc) {
        MLKEMPrivateKeyParameters key = new MLKEMPrivateKeyParameters(parameters(set), seed);
        try {
            return new MLKEMExtractor(key).extractSecret(enc);
        } finally {
            key.destroy();
        }
    }

    @Override
    public byte[] shake256(byte[] seed, int length) {
        SHAKEDigest shake = new SHAKEDigest(256);
        shake.update(seed, 0, seed.length);
        byte[] out = new byte[length];
        shake.doFinal(out, 0, length);
        return out;
    }

    private static MLKEMParameters parameters(MlKem set) {
        return set == MlKem.ML_KEM_768 ? MLKEMParameters.ml_kem_768 : MLKEMParameters.ml_kem_1024;
    }
}
