package sealmark.lab.engine;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.Provider;
import java.security.SecureRandom;
import javax.crypto.Cipher;

/** Everything a user of the JCA has ready before a payload comes: provider, key and a source of random bytes. */
final class PayloadCipher {
    final Algorithm algorithm;
    final byte[] keyBytes;
    private final CipherMaker maker;
    private final Key key;
    private final String name;
    private final SecureRandom random = new SecureRandom();

    PayloadCipher(PayloadJob job, Provider provider, String version) throws Trouble {
        Transformation transformation = Transformation.of(job.algorithm, provider);
        algorithm = job.algorithm;
        keyBytes = job.recipe.key(algorithm.keyBytes);
        maker = new CipherMaker(transformation, provider, job.recipe);
        key = maker.key();
        name = transformation + ", " + provider.getName() + " " + version;
    }

    byte[] newVector() {
        byte[] vector = new byte[Payload.VECTOR];
        random.nextBytes(vector);
        return vector;
    }

    /** A new instance, as every payload gets one. */
    Cipher under(byte[] vector, int mode) throws GeneralSecurityException, Trouble {
        Cipher cipher = maker.instance();
        cipher.init(mode, key, algorithm.parameters(vector));
        maker.verify(cipher);
        return cipher;
    }

    /** A row must not carry the name of a provider that did not do the work. */
    void verify(Cipher cipher) throws Trouble {
        maker.verify(cipher);
    }

    @Override
    public String toString() {
        return name;
    }
}
