package sealmark.lab.engine.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.util.jar.JarInputStream;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.jsse.BCSSLEngine;
import org.bouncycastle.jsse.BCSSLParameters;
import org.bouncycastle.jsse.BCSSLSocket;
import org.bouncycastle.jsse.provider.BouncyCastleJsseProvider;
import sealmark.lab.engine.Trouble;

/** Bouncy Castle's TLS on Bouncy Castle's ciphers: as installed beside the JDK's it would take those. */
public final class BouncyCastleJsse extends Jsse {
    private static final int SHORTEST_FIELD = 2048;

    /** It tells of every connection, which would be most of what is measured. Held, or the level is forgotten with it. */
    private static final Logger TALE = Logger.getLogger("org.bouncycastle.jsse");

    private final Provider ciphers;

    private BouncyCastleJsse(Provider jsse, Provider ciphers) {
        super(jsse, "BCJSSE " + version(jsse) + " on BC " + versionOf(ciphers));
        this.ciphers = ciphers;
    }

    /** The provider counts by itself; what one asks Maven for is in the manifest alone. */
    private static String version(Provider jsse) {
        try (JarInputStream jar = new JarInputStream(
                jsse.getClass().getProtectionDomain().getCodeSource().getLocation().openStream())) {
            return jar.getManifest().getMainAttributes().getValue("Bundle-Version");
        } catch (IOException error) {
            return versionOf(jsse);
        }
    }

    /** Installs nothing in the JVM's list of providers. */
    public static BouncyCastleJsse make() {
        TALE.setLevel(Level.OFF);
        Provider ciphers = new BouncyCastleProvider();
        return new BouncyCastleJsse(new BouncyCastleJsseProvider(ciphers), ciphers);
    }

    @Override
    public String version() {
        return version(provider) + " on BC " + versionOf(ciphers);
    }

    @Override
    Provider keys() {
        return ciphers;
    }

    @Override
    KeyManagerFactory keyManagers() throws GeneralSecurityException {
        return KeyManagerFactory.getInstance("PKIX", provider);
    }

    @Override
    TrustManagerFactory trustManagers() throws GeneralSecurityException {
        return TrustManagerFactory.getInstance("PKIX", provider);
    }

    @Override
    void mustDo(Terms terms) throws Trouble {
        if (terms.isFiniteField() && terms.fieldBits() < SHORTEST_FIELD) {
            throw Trouble.unsupported("Bouncy Castle's server takes no field of less than " + SHORTEST_FIELD + " bits");
        }
    }

    /** In TLS 1.3 too, where no one asks for it. */
    @Override
    boolean wantsCurve(Terms terms) {
        return true;
    }

    /** It knows tickets of TLS 1.3 by name alone. */
    @Override
    boolean resumes(Terms terms) {
        return !terms.isTls13();
    }

    /** Not by the JDK's parameters, which know of groups since JDK 20 only. */
    @Override
    void restrict(SSLEngine engine, TlsJob job) {
        if (job.terms.hasNamedGroup()) {
            BCSSLEngine own = (BCSSLEngine) engine;
            own.setParameters(narrowed(own.getParameters(), job.terms));
        }
    }

    @Override
    void restrict(SSLSocket socket, TlsJob job) {
        if (job.terms.hasNamedGroup()) {
            BCSSLSocket own = (BCSSLSocket) socket;
            own.setParameters(narrowed(own.getParameters(), job.terms));
        }
    }

    private BCSSLParameters narrowed(BCSSLParameters parameters, Terms terms) {
        parameters.setNamedGroups(groups(terms).toArray(new String[0]));
        return parameters;
    }
}
