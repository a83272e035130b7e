package sealmark.lab.engine;

import java.lang.reflect.InvocationTargetException;
import java.security.Provider;
import java.security.Security;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import sealmark.lab.engine.tls.ConscryptJsse;
import sealmark.lab.engine.tls.Jsse;

/** Jobs {@code cipher} and {@code payload} by a provider of the Java Cryptography Architecture. */
final class Ciphers implements Library {
    private final Provider provider;
    private final String version;
    private final Callable<Jsse> tls;

    Ciphers(Provider provider, String version) {
        this(provider, version, () -> {
            throw Trouble.unsupported(provider.getName() + " does no jobs of TLS");
        });
    }

    private Ciphers(Provider provider, String version, Callable<Jsse> tls) {
        this.provider = provider;
        this.version = version;
        this.tls = tls;
    }

    static Library sun() {
        Provider provider = Security.getProvider("SunJCE");
        return new Ciphers(provider, Jsse.versionOf(provider));
    }

    static Library corretto() throws Exception {
        Class<?> type = Class.forName("com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider");
        Provider provider = (Provider) type.getField("INSTANCE").get(null);
        Object error = call(type, "getLoadingError", provider);
        if (error != null) {
            throw Trouble.unsupported("ACCP cannot be loaded here: " + error);
        }
        // Its own name, its version and that of the AWS-LC inside.
        return new Ciphers(provider, provider.getInfo().replace(provider.getName() + " ", ""));
    }

    static Library conscrypt() throws Exception {
        Class<?> type = Class.forName("org.conscrypt.Conscrypt");
        call(type, "checkAvailability", null);
        Object version = call(type, "version", null);
        StringJoiner numbers = new StringJoiner(".");
        for (String part : new String[] {"major", "minor", "patch"}) {
            numbers.add(call(version.getClass(), part, version).toString());
        }
        Provider provider = (Provider) call(type, "newProvider", null);
        return new Ciphers(provider, numbers.toString(), () -> ConscryptJsse.make(numbers.toString()));
    }

    /** Calls by name what may be absent; what went wrong is what the method threw. */
    private static Object call(Class<?> type, String method, Object instance) throws Exception {
        try {
            return type.getMethod(method).invoke(instance);
        } catch (InvocationTargetException error) {
            if (error.getCause() instanceof Error) {
                throw (Error) error.getCause();
            }
            throw error;
        }
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public Work prepare(Job job) throws Exception {
        if (!job.kind.equals("cipher")) {
            throw Trouble.unsupported(provider.getName() + " does no job \"" + job.kind + "\"");
        }
        Algorithm algorithm = Algorithm.named(job.algorithm);
        Transformation transformation = Transformation.of(algorithm, provider);
        CipherMaker maker = new CipherMaker(transformation, provider, job.recipe);
        String code = transformation + ", " + provider.getName() + " " + version;
        return job.tuned ? tuned(maker, code) : asWritten(maker, code);
    }

    @Override
    public Jsse tls() throws Exception {
        return tls.call();
    }

    @Override
    public RecordWay prepare(RecordJob job) throws Exception {
        return RecordCiphers.prepare(job, provider, version);
    }

    @Override
    public Payload prepare(PayloadJob job) throws Exception {
        return prepare(job, PayloadStream.JCA);
    }

    Payload prepare(PayloadJob job, PayloadStream.Streams streams) throws Exception {
        PayloadCipher ciphers = new PayloadCipher(job, provider, version);
        switch (job.mode) {
            case "one-shot":
                return new PayloadOneShot(ciphers);
            case "update":
                return new PayloadUpdate(ciphers);
            case "stream":
                return new PayloadStream(ciphers, streams);
            case "wss4j":
                return PayloadWss4j.with(ciphers, provider);
            default:
                throw Trouble.unsupported(provider.getName() + " does no payload in mode \"" + job.mode + "\"");
        }
    }

    private static Work asWritten(CipherMaker maker, String code) {
        return new Work(maker.takesNonce(), code, new CipherAsWritten.Seal(maker), new CipherAsWritten.Open(maker));
    }

    private static Work tuned(CipherMaker maker, String code) throws Exception {
        CipherTuned.Open open = new CipherTuned.Open(maker);
        String note = open.wantsNewInstances ? ", a new instance for each opening" : "";
        return new Work(maker.takesNonce(), code + note, new CipherTuned.Seal(maker), open);
    }
}
