package sealmark.lab.engine.tls;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** The files that the lab writes before it asks; each run of the tests makes new ones. */
final class Certificates {
    private static final long HOUR = 3_600_000;
    private static final X500Name CA = new X500Name("CN=ca of a test");

    private Certificates() {}

    /** A directory for each word that spec/engine.md has for certificates; {@code none} is empty. */
    static Path write(Path directory, String word) throws Exception {
        return write(directory, word, "localhost");
    }

    static Path write(Path directory, String word, String host) throws Exception {
        Files.createDirectories(directory);
        if (!word.equals("none")) {
            KeyPair ca = keys(word);
            KeyPair server = keys(word);
            write(directory.resolve("ca.pem"), "CERTIFICATE", certificate("ca of a test", ca.getPublic(), ca, word, true));
            write(directory.resolve("certificate.pem"), "CERTIFICATE",
                    certificate(host, server.getPublic(), ca, word, false));
            write(directory.resolve("key.pem"), "PRIVATE KEY", server.getPrivate().getEncoded());
        }
        return directory;
    }

    private static KeyPair keys(String word) throws Exception {
        if (word.equals("Ed25519")) {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        }
        boolean rsa = word.startsWith("RSA-");
        KeyPairGenerator generator = KeyPairGenerator.getInstance(rsa ? "RSA" : "EC");
        if (rsa) {
            generator.initialize(Integer.parseInt(word.substring(4)));
        } else {
            generator.initialize(new ECGenParameterSpec("secp256r1"));
        }
        return generator.generateKeyPair();
    }

    private static byte[] certificate(String subject, PublicKey key, KeyPair ca, String word, boolean isCa)
            throws Exception {
        long now = System.currentTimeMillis();
        X509v3CertificateBuilder builder = new X509v3CertificateBuilder(CA, BigInteger.valueOf(now), new Date(now - HOUR),
                new Date(now + HOUR), new X500Name("CN=" + subject), SubjectPublicKeyInfo.getInstance(key.getEncoded()));
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(isCa));
        builder.addExtension(Extension.subjectAlternativeName, false,
                new GeneralNames(new GeneralName(GeneralName.dNSName, isCa ? "localhost" : subject)));
        ContentSigner signer = new JcaContentSignerBuilder(signature(word)).build(ca.getPrivate());
        return builder.build(signer).getEncoded();
    }

    private static String signature(String word) {
        return word.startsWith("RSA-") ? "SHA256withRSA" : word.equals("Ed25519") ? "Ed25519" : "SHA256withECDSA";
    }

    private static void write(Path file, String what, byte[] der) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        Files.writeString(file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }
}
