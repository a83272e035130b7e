package sealmark.lab.engine.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A server that is broken on purpose. */
final class Faults {
    private Faults() {}

    static ServerSocket listen() throws IOException {
        ServerSocket listener = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        listener.setSoTimeout(Sockets.PATIENCE);
        return listener;
    }

    static void serve(Peer peer, Socket accepted) throws IOException {
        try (Socket socket = accepted) {
            socket.setSoTimeout(2 * Sockets.PATIENCE);
            switch (peer) {
                case STALLS:
                    // Until the client has lost its patience and is gone.
                    while (socket.getInputStream().read() != -1) { }
                    break;
                case RESETS:
                    socket.setSoLinger(true, 0);
                    break;
                default:
                    socket.getInputStream().read();
                    socket.getOutputStream().write(Peer.ANSWER);
                    break;
            }
        }
    }
}
