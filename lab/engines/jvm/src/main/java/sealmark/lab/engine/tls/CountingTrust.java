package sealmark.lab.engine.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The library's own trust manager, and a count of how often it was asked: a server shows its certificate in a full
 * handshake and in no other. One client thread has it, so that the count is that of its connections.
 */
final class CountingTrust extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager library;
    private volatile int asked;

    CountingTrust(X509ExtendedTrustManager library) {
        this.library = library;
    }

    /** Counted by one thread at a time: a library's own thread may do it, but then the client waits for it. */
    int asked() {
        return asked;
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    private void count() {
        asked++;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        count();
        library.checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        count();
        library.checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        count();
        library.checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        library.checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        library.checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        library.checkClientTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return library.getAcceptedIssuers();
    }
}
