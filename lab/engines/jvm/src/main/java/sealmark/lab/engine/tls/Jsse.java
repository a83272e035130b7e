package sealmark.lab.engine.tls;

import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import sealmark.lab.engine.Trouble;

/** A library behind {@code javax.net.ssl}, and what is its own in being told what to offer. */
public abstract class Jsse {
    static final String DISABLED = "jdk.tls.disabledAlgorithms";
    private static final String IANA = "TLS_";
    private static final String OLD = "SSL_";

    final Provider provider;
    final String code;

    Jsse(Provider provider, String code) {
        this.provider = provider;
        this.code = code;
    }

    /** The version of the code that does the work. */
    public String version() {
        return versionOf(provider);
    }

    /** Makes both ends' contexts and the threads of a job; no connection. */
    public final TlsWork prepare(TlsJob job) throws Exception {
        mustBeGuarded();
        mustDo(job.terms);
        Ends ends = offering(job);
        if (job.transport == TlsJob.Transport.MEMORY) {
            return job.transfers ? new MemoryTransfer(ends) : new MemoryConnect(ends);
        }
        return job.transfers ? new SocketTransfer(ends) : new SocketConnect(ends);
    }

    private Ends offering(TlsJob job) throws Exception {
        try {
            Ends ends = new Ends(this, job);
            new Offered(ends.client()).mustBe(job.terms, groups(job.terms), choosesSuites(job.terms));
            return ends;
        } catch (ExceptionInInitializerError error) {
            // So the JDK says that it has none of the groups its property names, wherever it comes to read that first.
            throw Offered.unsupported(error.getCause());
        }
    }

    /** With suites allowed that nobody should use any more it would do another work than anywhere else. */
    void mustBeGuarded() throws Trouble {
        if (forbidsNothing(DISABLED)) {
            throw Trouble.failed(DISABLED + " forbids nothing in this process; hint: legacy.security is for "
                    + "SunJSSE-legacy alone");
        }
    }

    static boolean forbidsNothing(String property) {
        String value = Security.getProperty(property);
        return value == null || value.trim().isEmpty();
    }

    /** Refuses what the library lacks, as far as that is known without its classes. */
    abstract void mustDo(Terms terms) throws Trouble;

    /** Says what must be said to the whole process: last, for there it holds until the process ends. */
    void settle(Terms terms) throws Trouble {}

    /** Says which group to offer and accept, where {@link SSLParameters} cannot. */
    void restrict(SSLEngine engine, TlsJob job) throws Exception {}

    /** Says which group to offer and accept, where {@link SSLParameters} cannot. */
    void restrict(SSLSocket socket, TlsJob job) throws Exception {}

    /** Returns whether the library can be told which suite of a protocol to offer. */
    boolean choosesSuites(Terms terms) throws Trouble {
        return true;
    }

    /**
     * The names of the groups to offer. It is one, but up to TLS 1.2 the groups that a client offers are also the curves
     * on which it takes a certificate (RFC 8422, section 5.1.1): there the certificate's own comes second.
     */
    List<String> groups(Terms terms) {
        List<String> names = new ArrayList<>();
        if (terms.hasNamedGroup()) {
            names.add(Group.of(terms.group).javaName);
        }
        if (terms.certificate.equals("ECDSA-P-256") && !names.contains(Group.P256.javaName) && wantsCurve(terms)) {
            names.add(Group.P256.javaName);
        }
        return names;
    }

    /** Returns whether the library takes a certificate only on a curve that is offered. */
    boolean wantsCurve(Terms terms) {
        return !terms.isTls13();
    }

    /** Returns whether the library has a way to resume a session of this protocol. */
    boolean resumes(Terms terms) {
        return true;
    }

    /**
     * Returns whether sessions can be invalidated; else a client that is to offer none must never meet a server twice.
     */
    boolean invalidates() {
        return true;
    }

    /** Whose key stores, keys and certificates to use; null for the JDK's. */
    Provider keys() {
        return null;
    }

    SSLContext context() throws GeneralSecurityException {
        return SSLContext.getInstance("TLS", provider);
    }

    KeyManagerFactory keyManagers() throws GeneralSecurityException {
        return KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    }

    TrustManagerFactory trustManagers() throws GeneralSecurityException {
        return TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    }

    final X509ExtendedTrustManager trust(Credentials credentials) throws Exception {
        TrustManagerFactory factory = trustManagers();
        factory.init(credentials.trusted());
        return (X509ExtendedTrustManager) factory.getTrustManagers()[0];
    }

    /** The library's name for the suite: the oldest ones still begin as they did before there was TLS. */
    final String suite(Terms terms, SSLContext context) throws Trouble {
        List<String> known = Arrays.asList(context.getSupportedSSLParameters().getCipherSuites());
        for (String name : Arrays.asList(terms.suite, terms.suite.replaceFirst("^" + IANA, OLD))) {
            if (known.contains(name)) {
                return name;
            }
        }
        throw Trouble.unsupported(code + " has no suite " + terms.suite + " here");
    }

    /** By the property that a provider keeps it under, because Java 8 has no method that tells more than a number. */
    public static String versionOf(Provider provider) {
        return provider.getProperty("Provider.id version");
    }

    static String iana(String suite) {
        return suite.startsWith(OLD) ? IANA + suite.substring(OLD.length()) : suite;
    }

    /** The protocols that may be asked for, without those that security properties forbid. */
    final String protocol(Terms terms, SSLContext context) throws Trouble {
        if (!protocols(context).contains(terms.protocol)) {
            throw Trouble.unsupported(code + " does no " + terms.protocol + " here");
        }
        return terms.protocol;
    }

    List<String> protocols(SSLContext context) {
        return Arrays.asList(context.getDefaultSSLParameters().getProtocols());
    }
}
