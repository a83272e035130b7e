package sealmark.lab.engine.tls;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/** One engine between two buffers. */
final class MemoryEnd {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    final ByteBuffer in;
    final ByteBuffer out;

    /** Where what it decrypts goes. */
    ByteBuffer plain;

    SSLEngine engine;
    long spent;
    long sent;

    MemoryEnd(ByteBuffer in, ByteBuffer out) {
        this.in = in;
        this.out = out;
    }

    /** Does one thing that the handshake, or what the other end has sent, asks for; false where there is none. */
    boolean advance() throws SSLException {
        switch (engine.getHandshakeStatus()) {
            case NEED_TASK:
                engine.getDelegatedTask().run();
                return true;
            case NEED_WRAP:
                return !engine.isOutboundDone() && wrap(NOTHING);
            default:
                return in.position() > 0 && !engine.isInboundDone() && unwrap();
        }
    }

    boolean isIdle() {
        HandshakeStatus status = engine.getHandshakeStatus();
        return status == HandshakeStatus.NOT_HANDSHAKING && in.position() == 0;
    }

    /** Makes at most one record of what remains of {@code source}. */
    boolean wrap(ByteBuffer source) throws SSLException {
        int before = out.position();
        SSLEngineResult result = engine.wrap(source, out);
        sent += out.position() - before;
        if (source.hasRemaining() && result.getStatus() == SSLEngineResult.Status.CLOSED) {
            throw new SSLException("the other end has closed");
        }
        return must(result);
    }

    private boolean unwrap() throws SSLException {
        in.flip();
        try {
            return must(engine.unwrap(in, plain));
        } finally {
            in.compact();
        }
    }

    private static boolean must(SSLEngineResult result) throws SSLException {
        if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
            throw new SSLException("a record is longer than the session says");
        }
        return result.getStatus() != SSLEngineResult.Status.BUFFER_UNDERFLOW;
    }
}
