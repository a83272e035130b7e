package sealmark.lab.engine.tls;

import java.lang.reflect.Method;
import java.security.GeneralSecurityException;
import java.security.Provider;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import sealmark.lab.engine.Trouble;

/** BoringSSL behind Conscrypt. */
public final class ConscryptJsse extends Jsse {
    /** The suite that BoringSSL takes first where the processor has AES. */
    private static final String OF_TLS_1_3 = "TLS_AES_128_GCM_SHA256";

    private final Method engineTickets;
    private final Method socketTickets;

    private ConscryptJsse(Provider provider, String version, Class<?> conscrypt) throws ReflectiveOperationException {
        super(provider, "Conscrypt " + version);
        engineTickets = conscrypt.getMethod("setUseSessionTickets", SSLEngine.class, boolean.class);
        socketTickets = conscrypt.getMethod("setUseSessionTickets", SSLSocket.class, boolean.class);
    }

    /** Called by name, for it may be absent. With its own trust manager: the JDK's knows no TLS 1.3 of Conscrypt's. */
    public static ConscryptJsse make(String version) throws ReflectiveOperationException {
        Class<?> conscrypt = Class.forName("org.conscrypt.Conscrypt");
        Object builder = conscrypt.getMethod("newProviderBuilder").invoke(null);
        Class<?> type = builder.getClass();
        type.getMethod("provideTrustManager", boolean.class).invoke(builder, true);
        return new ConscryptJsse((Provider) type.getMethod("build").invoke(builder), version, conscrypt);
    }

    @Override
    TrustManagerFactory trustManagers() throws GeneralSecurityException {
        return TrustManagerFactory.getInstance("PKIX", provider);
    }

    @Override
    void mustDo(Terms terms) throws Trouble {
        if (terms.certificate.equals("Ed25519")) {
            throw Trouble.unsupported("Conscrypt has no key of its own kind for certificates of Ed25519");
        }
    }

    @Override
    void settle(Terms terms) throws Trouble {
        SystemProperties.set("jdk.tls.namedGroups", String.join(",", groups(terms)));
    }

    /** Off as they come, and then TLS 1.3 resumes nothing; HTTP clients that know Conscrypt switch them on. */
    @Override
    void restrict(SSLEngine engine, TlsJob job) throws ReflectiveOperationException {
        if (job.terms.isTls13()) {
            engineTickets.invoke(null, engine, true);
        }
    }

    @Override
    void restrict(SSLSocket socket, TlsJob job) throws ReflectiveOperationException {
        if (job.terms.isTls13()) {
            socketTickets.invoke(null, socket, true);
        }
    }

    /** Which one it was, the session says. */
    @Override
    boolean choosesSuites(Terms terms) throws Trouble {
        if (terms.isTls13() && !terms.suite.equals(OF_TLS_1_3)) {
            throw Trouble.unsupported("Conscrypt cannot be told which suite of TLS 1.3 to take, and takes " + OF_TLS_1_3);
        }
        return !terms.isTls13();
    }

    @Override
    boolean invalidates() {
        return false;
    }
}
