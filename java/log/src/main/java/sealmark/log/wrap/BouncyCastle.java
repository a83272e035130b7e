package sealmark.log.wrap;

import java.security.SecureRandom;
import org.bouncycastle.crypto.SecretWithEncapsulation;
import org.bouncycastle.crypto.kems.MLKEMGenerator;
import org.bouncycastle.crypto.params.MLKEMParameters;
import org.bouncycastle.crypto.params.MLKEMPublicKeyParameters;

/** The only class that names Bouncy Castle, which is no dependency of applications that do not want it. */
final class BouncyCastle implements PostQuantum {
    private final SecureRandom random = new SecureRandom();

    /** Throws {@link LinkageError} where a class that is used here is missing. */
    BouncyCastle() {
        MlKem set = MlKem.ML_KEM_768;
        encapsulate(set, new byte[set.publicLength()]).close();
    }

    @Override
    public Encapsulated encapsulate(MlKem set, byte[] key) {
        MLKEMPublicKeyParameters recipient = new MLKEMPublicKeyParameters(parameters(set), key);
        SecretWithEncapsulation shared = new MLKEMGenerator(random).generateEncapsulated(recipient);
        return new Encapsulated(shared.getSecret(), shared.getEncapsulation());
    }

    private static MLKEMParameters parameters(MlKem set) {
        return set == MlKem.ML_KEM_768 ? MLKEMParameters.ml_kem_768 : MLKEMParameters.ml_kem_1024;
    }
}
