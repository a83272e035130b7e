package sealmark.log.wrap;

import java.lang.reflect.Method;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Provider;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Optional;
import javax.crypto.SecretKey;

/** ML-KEM by {@code javax.crypto.KEM}, which the JDK has from 21 on and, with ML-KEM, from 24 on (JEP 452, JEP 496). */
final class JdkMlKem implements PostQuantum {
    /** The one that has it now: a program may remove or reorder its providers later. */
    private final Provider provider;

    private JdkMlKem(Provider provider) {
        this.provider = provider;
    }

    /** Empty where no provider has it. */
    static Optional<PostQuantum> find() {
        try {
            Provider provider = KeyFactory.getInstance(MlKem.ML_KEM_768.algorithm()).getProvider();
            JdkMlKem found = new JdkMlKem(provider);
            found.mlKem();
            return Optional.of(found);
        } catch (ReflectiveOperationException | GeneralSecurityException e) {
            return Optional.empty();
        }
    }

    /** All of it is found by name, because this is compiled for Java 17. */
    @Override
    public Encapsulated encapsulate(MlKem set, byte[] recipient) {
        try {
            X509EncodedKeySpec spec = new X509EncodedKeySpec(Bytes.concat(set.publicPrefix(), recipient));
            PublicKey key = KeyFactory.getInstance(set.algorithm(), provider).generatePublic(spec);
            Object kem = mlKem();
            Object encapsulator = kem.getClass().getMethod("newEncapsulator", PublicKey.class).invoke(kem, key);
            Object shared = call(encapsulator, "encapsulate");
            SecretKey secret = (SecretKey) call(shared, "key");
            return new Encapsulated(secret.getEncoded(), (byte[]) call(shared, "encapsulation"));
        } catch (ReflectiveOperationException | GeneralSecurityException e) {
            throw new IllegalStateException("the ML-KEM of this Java runtime rejects the key", e);
        }
    }

    private Object mlKem() throws ReflectiveOperationException {
        Method getInstance =
                Class.forName("javax.crypto.KEM").getMethod("getInstance", String.class, Provider.class);
        return getInstance.invoke(null, "ML-KEM", provider);
    }

    private static Object call(Object on, String method) throws ReflectiveOperationException {
        return on.getClass().getMethod(method).invoke(on);
    }
}
