package sealmark.lab.engine.tls;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import javax.net.ssl.SSLSocket;
import sealmark.lab.engine.Trouble;

/** Sockets on the loopback address, as the transport wants them; no wait is longer than {@link #PATIENCE}. */
final class Sockets {
    /** In milliseconds. */
    static final int PATIENCE = 5000;

    private final boolean noDelay;

    Sockets(TlsJob.Transport transport) {
        noDelay = transport == TlsJob.Transport.NODELAY;
    }

    /** A connection to this port, and an ear for what the server says first. */
    Socket connect(int port, ServerMessages said) throws IOException {
        Socket plain = new HeardSocket(said);
        try {
            tune(plain);
            plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE);
            // However it ends, a reset leaves no TIME-WAIT.
            plain.setSoLinger(true, 0);
            return plain;
        } catch (IOException | RuntimeException error) {
            plain.close();
            throw error;
        }
    }

    Socket accept(ServerSocket listener) throws IOException {
        Socket socket = listener.accept();
        tune(socket);
        return socket;
    }

    private void tune(Socket socket) throws IOException {
        socket.setSoTimeout(PATIENCE);
        if (noDelay) {
            socket.setTcpNoDelay(true);
        }
    }

    /** The server has closed and nothing is on its way: a reset loses nothing now. */
    static void closeLast(SSLSocket client, InputStream in) throws IOException, Trouble {
        if (in.read() != -1) {
            throw Trouble.failed("the server sent more than one byte");
        }
        client.close();
    }
}
