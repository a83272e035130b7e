package sealmark.lab.engine.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import sealmark.lab.engine.Trouble;

/**
 * Reads the files that the lab has written for this run: {@code ca.pem}, {@code certificate.pem} and {@code key.pem}.
 */
final class Credentials {
    private static final char[] PASSWORD = "of a store that is never written".toCharArray();

    private final Path directory;

    /** The word of spec/engine.md for the certificate's key. */
    private final String certificate;

    /** Null for the JDK's. */
    private final Provider provider;

    Credentials(Path directory, String certificate, Provider provider) {
        this.directory = directory;
        this.provider = provider;
        this.certificate = certificate;
    }

    /** The client's trust store, which holds the CA alone. */
    KeyStore trusted() throws GeneralSecurityException, IOException {
        KeyStore store = empty();
        store.setCertificateEntry("ca", read("ca.pem"));
        return store;
    }

    /** The server's key store, which holds its certificate alone, without the CA's. */
    KeyStore own() throws GeneralSecurityException, IOException, Trouble {
        KeyStore store = empty();
        store.setKeyEntry("server", key(), PASSWORD, new X509Certificate[] {read("certificate.pem")});
        return store;
    }

    static char[] password() {
        return PASSWORD.clone();
    }

    /** A store that lives in memory; of JKS, because that asks the JDK for no algorithm to wrap a key with. */
    private KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = provider == null ? KeyStore.getInstance("JKS") : KeyStore.getInstance("BKS", provider);
        store.load(null, null);
        return store;
    }

    private X509Certificate read(String name) throws GeneralSecurityException, IOException {
        byte[] pem = Files.readAllBytes(directory.resolve(name));
        CertificateFactory factory = provider == null
                ? CertificateFactory.getInstance("X.509") : CertificateFactory.getInstance("X.509", provider);
        return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(pem));
    }

    private PrivateKey key() throws GeneralSecurityException, IOException, Trouble {
        String pem = new String(Files.readAllBytes(directory.resolve("key.pem")), StandardCharsets.US_ASCII);
        byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        String algorithm = keyAlgorithm();
        KeyFactory factory = provider == null
                ? KeyFactory.getInstance(algorithm) : KeyFactory.getInstance(algorithm, provider);
        return factory.generatePrivate(new PKCS8EncodedKeySpec(der));
    }

    private String keyAlgorithm() throws Trouble {
        switch (certificate) {
            case "RSA-1024":
            case "RSA-2048":
                return "RSA";
            case "ECDSA-P-256":
                return "EC";
            case "Ed25519":
                return "Ed25519";
            default:
                throw Trouble.unsupported("this engine knows no certificate \"" + certificate + "\"");
        }
    }
}
