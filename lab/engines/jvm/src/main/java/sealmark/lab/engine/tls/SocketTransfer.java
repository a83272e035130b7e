package sealmark.lab.engine.tls;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import javax.net.ssl.SSLSocket;
import sealmark.lab.engine.Trouble;

/** Job {@code tls-transfer} over sockets. */
final class SocketTransfer extends SocketWork {
    private final Client caller;
    private final byte[] input;
    private final byte[] received;
    private volatile Socket plain;
    private volatile SSLSocket calling;
    private volatile Socket accepted;

    SocketTransfer(Ends ends) throws Exception {
        super(ends);
        caller = ends.client();
        input = ends.job.recipe.input(ends.job.bytes);
        received = new byte[ends.job.bytes];
        startThreads();
    }

    @Override
    void timeWith(boolean down, long first, long count, Span span) throws Exception {
        caller.forget();
        Arrays.fill(received, Span.NOT_RECEIVED);
        plain = null;
        accepted = null;
        try {
            together(() -> call(span), this::answer, null);
            if (down) {
                together(() -> receive(calling, count), () -> send(accepted, count), span);
            } else {
                together(() -> send(calling, count), () -> receive(accepted, count), span);
            }
            span.received(received, received.length);
            together(this::hangUp, this::dismiss, null);
        } finally {
            abort();
        }
    }

    private Void call(Span span) throws Exception {
        plain = sockets.connect(listener().getLocalPort(), caller.said);
        SSLSocket socket = caller.socket(plain);
        calling = socket;
        socket.startHandshake();
        caller.note(socket.getSession(), span.tally);
        // There and back, so that tickets are read before the span.
        socket.getOutputStream().write(1);
        if (socket.getInputStream().read() != 1) {
            throw Trouble.failed("sent one byte before the span and did not get it back");
        }
        return null;
    }

    private Void answer() throws Exception {
        Socket socket = sockets.accept(listener());
        accepted = socket;
        if (ends.job.peer != Peer.WORKS) {
            Faults.serve(ends.job.peer, socket);
            return null;
        }
        ends.library.restrict((SSLSocket) socket, ends.job);
        ((SSLSocket) socket).startHandshake();
        socket.getOutputStream().write(socket.getInputStream().read());
        return null;
    }

    private Void send(Socket socket, long count) throws IOException {
        OutputStream out = socket.getOutputStream();
        for (long done = 0; done != count; done++) {
            for (int at = 0; at < input.length; at += MemoryTransfer.WRITE) {
                out.write(input, at, Math.min(MemoryTransfer.WRITE, input.length - at));
            }
        }
        return null;
    }

    private Void receive(Socket socket, long count) throws IOException {
        InputStream in = socket.getInputStream();
        for (long done = 0; done != count; done++) {
            for (int at = 0; at < received.length;) {
                int length = in.read(received, at, received.length - at);
                if (length < 0) {
                    throw new EOFException("the connection ended after " + at + " bytes of " + received.length);
                }
                at += length;
            }
        }
        return null;
    }

    /** At once with {@link #dismiss}, for a server that closes waits until its client has said goodbye too. */
    private Void hangUp() throws Exception {
        Sockets.closeLast(calling, calling.getInputStream());
        return null;
    }

    private Void dismiss() throws IOException {
        accepted.close();
        return null;
    }

    /** Takes away what is left of the connection, without a word of TLS; the reset leaves no TIME-WAIT. */
    @Override
    synchronized void abort() throws IOException {
        try {
            if (plain != null) {
                plain.close();
            }
        } finally {
            if (accepted != null) {
                accepted.close();
            }
        }
    }
}
