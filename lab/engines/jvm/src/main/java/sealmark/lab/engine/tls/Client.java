package sealmark.lab.engine.tls;

import java.net.Socket;
import java.util.Arrays;
import java.util.Collections;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocket;
import sealmark.lab.engine.Trouble;

/** The client of one thread: a context whose sessions are its own, and what is to be seen of each connection. */
final class Client {
    private static final String HOST = "localhost";

    /** Names the server in a cache of sessions; nothing is sent there. */
    private static final int PORT = 443;

    /** The server's first messages in the connection begun last. */
    final ServerMessages said = new ServerMessages();

    private final Ends ends;
    private final SSLContext context;
    private final CountingTrust trust;
    private final SSLParameters parameters;
    private int strangers;
    private int askedBefore;
    private byte[] id = {};
    private long created;

    Client(Ends ends, SSLContext context, CountingTrust trust) throws Exception {
        this.ends = ends;
        this.context = context;
        this.trust = trust;
        this.parameters = ends.parametersOfClient();
    }

    /**
     * Makes sure that no session is offered next time. There are one or two to be forgotten, which takes some
     * microseconds; a new context for each connection would take longer than a handshake.
     */
    void forget() {
        SSLSessionContext sessions = context.getClientSessionContext();
        if (!ends.library.invalidates()) {
            sessions.setSessionCacheSize(1);
            strangers++;
            return;
        }
        for (byte[] known : Collections.list(sessions.getIds())) {
            SSLSession session = sessions.getSession(known);
            if (session != null) {
                session.invalidate();
            }
        }
    }

    SSLEngine engine() throws Exception {
        begin();
        SSLEngine engine = context.createSSLEngine(host(), PORT);
        engine.setUseClientMode(true);
        engine.setSSLParameters(parameters);
        ends.library.restrict(engine, ends.job);
        return engine;
    }

    /** TLS over a socket that is connected; closing it closes that. */
    SSLSocket socket(Socket plain) throws Exception {
        begin();
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, host(), plain.getPort(), true);
        socket.setSSLParameters(parameters);
        ends.library.restrict(socket, ends.job);
        return socket;
    }

    /** The same name in capitals here and there: to the cache another server, to the certificate the same. */
    private String host() {
        StringBuilder host = new StringBuilder(HOST);
        for (int at = 0; at < HOST.length(); at++) {
            if ((strangers >> at & 1) == 1) {
                host.setCharAt(at, Character.toUpperCase(HOST.charAt(at)));
            }
        }
        return host.toString();
    }

    private void begin() {
        said.forget();
        askedBefore = trust == null ? 0 : trust.asked();
    }

    /** Tells what the connection begun last was, of which this is the session. */
    void note(SSLSession session, Tally tally) throws Trouble {
        boolean resumed = hasResumed(session);
        Terms terms = ends.job.terms;
        if (!terms.isTls13() && !terms.isAnonymous() && said.showCertificate() == resumed) {
            throw Trouble.failed("the server showed " + (resumed ? "a" : "no") + " certificate, and the client was"
                    + (resumed ? " not" : "") + " asked whether it trusts it");
        }
        tally.add(session.getProtocol(), Jsse.iana(session.getCipherSuite()), group(resumed), resumed);
    }

    /** In the server's own words. */
    private String group(boolean resumed) throws Trouble {
        String heard = said.group(ends.job.terms);
        if (heard == null && resumed && !ends.job.terms.isTls13()) {
            // Up to TLS 1.2 nobody speaks of groups again.
            return ends.job.terms.group;
        }
        return heard == null ? "none" : heard;
    }

    /** Returns whether the connection begun last resumed a session: then the server showed no certificate. */
    private boolean hasResumed(SSLSession session) throws Trouble {
        return trust == null ? isSessionBefore(session) : !wasShownCertificate();
    }

    private boolean wasShownCertificate() throws Trouble {
        int asked = trust.asked() - askedBefore;
        if (asked > 1) {
            throw Trouble.failed("the client was asked " + asked + " times in one connection whether it trusts the server");
        }
        return asked == 1;
    }

    /** Anonymous suites end with TLS 1.2, where a session that is resumed keeps its id. */
    private boolean isSessionBefore(SSLSession session) throws Trouble {
        if (session.getId().length == 0) {
            throw Trouble.failed("a session without an id proves nothing");
        }
        boolean same = Arrays.equals(id, session.getId()) && created == session.getCreationTime();
        id = session.getId();
        created = session.getCreationTime();
        return same;
    }
}
