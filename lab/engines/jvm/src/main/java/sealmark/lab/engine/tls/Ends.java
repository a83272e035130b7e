package sealmark.lab.engine.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManager;

/** Everything ready before the first connection: the server's context, the clients' contexts and the offer. */
final class Ends {
    /** Connections that wait to be accepted. */
    private static final int BACKLOG = 1024;

    final Jsse library;
    final TlsJob job;

    /** By the library's name for it. */
    final String suite;

    private final Credentials credentials;
    private final SSLContext server;
    private final SSLParameters parameters;

    Ends(Jsse library, TlsJob job) throws Exception {
        this.library = library;
        this.job = job;
        this.credentials = new Credentials(job.directory, job.terms.certificate, library.keys());
        this.server = library.context();
        server.init(own(), null, new SecureRandom());
        library.protocol(job.terms, server);
        this.suite = library.suite(job.terms, server);
        this.parameters = offer();
        library.settle(job.terms);
    }

    private SSLParameters offer() throws Exception {
        return Offer.of(job.terms, library.choosesSuites(job.terms) ? suite : null, library.groups(job.terms));
    }

    private KeyManager[] own() throws Exception {
        if (job.terms.isAnonymous()) {
            return null;
        }
        KeyManagerFactory factory = library.keyManagers();
        factory.init(credentials.own(), Credentials.password());
        return factory.getKeyManagers();
    }

    /** A client with a context of its own, as each client thread has one: its sessions are offered by no other. */
    Client client() throws Exception {
        CountingTrust trust = job.terms.isAnonymous() ? null : new CountingTrust(library.trust(credentials));
        SSLContext context = library.context();
        context.init(null, trust == null ? null : new TrustManager[] {trust}, new SecureRandom());
        return new Client(this, context, trust);
    }

    SSLEngine serverEngine() throws Exception {
        SSLEngine engine = server.createSSLEngine();
        engine.setUseClientMode(false);
        engine.setSSLParameters(parameters);
        library.restrict(engine, job);
        return engine;
    }

    SSLServerSocket listen() throws Exception {
        SSLServerSocket socket = (SSLServerSocket) server.getServerSocketFactory()
                .createServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        try {
            socket.setSSLParameters(parameters);
            socket.setSoTimeout(Sockets.PATIENCE);
            return socket;
        } catch (IOException | RuntimeException error) {
            socket.close();
            throw error;
        }
    }

    SSLParameters parametersOfClient() throws Exception {
        SSLParameters client = offer();
        if (!job.terms.isAnonymous()) {
            // Without it the name in the certificate is nobody's business.
            client.setEndpointIdentificationAlgorithm("HTTPS");
        }
        return client;
    }
}
