package sealmark.lab.engine;

import java.security.Provider;
import java.security.Security;

/** Job {@code cipher} by a provider of the Java Cryptography Architecture. */
final class Ciphers implements Library {
    private final Provider provider;
    private final String version;

    Ciphers(Provider provider, String version) {
        this.provider = provider;
        this.version = version;
    }

    static Library sun() {
        Provider provider = Security.getProvider("SunJCE");
        return new Ciphers(provider, provider.getVersionStr());
    }

    static Library corretto() throws Exception {
        String name = "com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider";
        Provider provider = (Provider) Class.forName(name).getField("INSTANCE").get(null);
        Object error = provider.getClass().getMethod("getLoadingError").invoke(provider);
        if (error != null) {
            throw Trouble.failed("ACCP found no native library that runs here: " + error);
        }
        // Its own name, its version and that of the AWS-LC inside.
        return new Ciphers(provider, provider.getInfo().replace(provider.getName() + " ", ""));
    }

    static Library conscrypt() throws Exception {
        Class<?> conscrypt = Class.forName("org.conscrypt.Conscrypt");
        conscrypt.getMethod("checkAvailability").invoke(null);
        Provider provider = (Provider) conscrypt.getMethod("newProvider").invoke(null);
        Object version = conscrypt.getMethod("version").invoke(null);
        Class<?> parts = version.getClass();
        return new Ciphers(provider, parts.getMethod("major").invoke(version) + "."
                + parts.getMethod("minor").invoke(version) + "." + parts.getMethod("patch").invoke(version));
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

    private static Work asWritten(CipherMaker maker, String code) {
        return new Work(maker.takesNonce(), code, new CipherAsWritten.Seal(maker), new CipherAsWritten.Open(maker));
    }

    private static Work tuned(CipherMaker maker, String code) throws Exception {
        CipherTuned.Open open = new CipherTuned.Open(maker);
        String note = open.wantsNewInstances ? ", a new instance for each opening" : "";
        return new Work(maker.takesNonce(), code + note, new CipherTuned.Seal(maker), open);
    }
}
