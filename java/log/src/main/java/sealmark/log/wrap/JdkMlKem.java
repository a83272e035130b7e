package sealmark.log.wrap;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Optional;
import javax.crypto.SecretKey;

/** ML-KEM by {@code javax.crypto.KEM}, which the JDK has from 21 on and, with ML-KEM, from 24 on (JEP 452, JEP 496). */
final class JdkMlKem implements PostQuantum.Sealing {
    private static final String ALGORITHM = "ML-KEM";

    private final MethodHandle getInstance;
    private final MethodHandle newEncapsulator;
    private final MethodHandle encapsulate;
    private final MethodHandle key;
    private final MethodHandle encapsulation;

    private JdkMlKem() throws ReflectiveOperationException {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        Class<?> kem = Class.forName("javax.crypto.KEM");
        Class<?> encapsulator = Class.forName("javax.crypto.KEM$Encapsulator");
        Class<?> encapsulated = Class.forName("javax.crypto.KEM$Encapsulated");
        getInstance = lookup.findStatic(kem, "getInstance", MethodType.methodType(kem, String.class));
        newEncapsulator = lookup.findVirtual(
                kem, "newEncapsulator", MethodType.methodType(encapsulator, PublicKey.class));
        encapsulate = lookup.findVirtual(encapsulator, "encapsulate", MethodType.methodType(encapsulated));
        key = lookup.findVirtual(encapsulated, "key", MethodType.methodType(SecretKey.class));
        encapsulation = lookup.findVirtual(encapsulated, "encapsulation", MethodType.methodType(byte[].class));
    }

    /** Empty on a JDK without it. */
    static Optional<PostQuantum.Sealing> find() {
        try {
            KeyFactory.getInstance(MlKem.ML_KEM_768.algorithm());
            JdkMlKem found = new JdkMlKem();
            found.instance();
            return Optional.of(found);
        } catch (ReflectiveOperationException | GeneralSecurityException e) {
            return Optional.empty();
        }
    }

    @Override
    public Encapsulated encapsulate(MlKem set, byte[] recipient) {
        try {
            X509EncodedKeySpec spec = new X509EncodedKeySpec(Bytes.concat(set.publicPrefix(), recipient));
            PublicKey parsed = KeyFactory.getInstance(set.algorithm()).generatePublic(spec);
            return encapsulate(parsed);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the ML-KEM of this Java runtime rejects the key", e);
        }
    }

    private Encapsulated encapsulate(PublicKey recipient) throws GeneralSecurityException {
        Object instance = instance();
        try {
            Object shared = encapsulate.invoke(newEncapsulator.invoke(instance, recipient));
            SecretKey secret = (SecretKey) key.invoke(shared);
            return new Encapsulated(secret.getEncoded(), (byte[]) encapsulation.invoke(shared));
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    private Object instance() throws GeneralSecurityException {
        try {
            return getInstance.invoke(ALGORITHM);
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    /** The exception of a method handle, with its own type; throws errors. */
    private static GeneralSecurityException rethrown(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof RuntimeException unexpected) {
            throw unexpected;
        }
        return thrown instanceof GeneralSecurityException known ? known : new GeneralSecurityException(thrown);
    }
}
