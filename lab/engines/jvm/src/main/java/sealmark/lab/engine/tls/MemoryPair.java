package sealmark.lab.engine.tls;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLException;
import sealmark.lab.engine.Trouble;

/** Client and server in one thread, with two buffers between them that last for a whole job. */
final class MemoryPair {
    private static final int WIRE = 1 << 18;

    /** Far more than any handshake takes: an engine that goes in circles is not waited for. */
    private static final int MOST_TURNS = 10_000;

    final MemoryEnd client;
    final MemoryEnd server;
    private final Ends ends;
    private final Client caller;
    private final byte[] clientReads = new byte[Span.SLACK];
    private final byte[] serverReads = new byte[Span.SLACK];
    private boolean listens;
    private long clock;

    MemoryPair(Ends ends, Client caller) {
        this.ends = ends;
        this.caller = caller;
        ByteBuffer toServer = ByteBuffer.allocate(WIRE);
        ByteBuffer toClient = ByteBuffer.allocate(WIRE);
        client = new MemoryEnd(toClient, toServer);
        server = new MemoryEnd(toServer, toClient);
    }

    /** Both ends' bytes since the pair was made. */
    long wire() {
        return client.sent + server.sent;
    }

    /** Makes new engines and lets them agree. */
    void connect(Tally tally) throws Exception {
        clock = System.nanoTime();
        client.in.clear();
        server.in.clear();
        client.engine = caller.engine();
        client.plain = ByteBuffer.wrap(clientReads);
        count(client);
        server.engine = ends.serverEngine();
        server.plain = ByteBuffer.wrap(serverReads);
        count(server);
        agree(tally);
    }

    private void agree(Tally tally) throws Exception {
        listens = true;
        client.engine.beginHandshake();
        server.engine.beginHandshake();
        exchange();
        listens = false;
        if (!client.isIdle() || !server.isIdle()) {
            throw Trouble.failed("both ends wait: the client for " + client.engine.getHandshakeStatus()
                    + ", the server for " + server.engine.getHandshakeStatus());
        }
        caller.note(client.engine.getSession(), tally);
        count(client);
    }

    /** Sends all that remains of {@code source} from one end to the other's {@code plain}. */
    void send(ByteBuffer source, MemoryEnd from, MemoryEnd to) throws Exception {
        clock = System.nanoTime();
        while (source.hasRemaining()) {
            push(source, from);
            count(from);
            while (to.in.position() > 0 && advance(to)) {
                count(to);
            }
            count(to);
        }
    }

    private void push(ByteBuffer source, MemoryEnd from) throws Trouble {
        int left = source.remaining();
        long sent = from.sent;
        wrap(source, from);
        if (source.remaining() == left && from.sent == sent && !advance(from)) {
            throw Trouble.failed("the " + name(from) + " neither takes nor gives: " + from.engine.getHandshakeStatus());
        }
    }

    /** One byte there and back; what comes back. */
    byte echo(byte value, ByteBuffer scratch) throws Exception {
        scratch.clear();
        scratch.put(value).flip();
        send(scratch, client, server);
        mustBeOne(server);
        ByteBuffer answer = server.plain.duplicate();
        answer.flip();
        server.plain.clear();
        send(answer, server, client);
        mustBeOne(client);
        client.plain.clear();
        return clientReads[0];
    }

    private static void mustBeOne(MemoryEnd end) throws Trouble {
        if (end.plain.position() != 1) {
            throw Trouble.failed("one byte was sent, and " + end.plain.position() + " have come");
        }
    }

    void close() throws Trouble {
        clock = System.nanoTime();
        client.engine.closeOutbound();
        exchange();
        server.engine.closeOutbound();
        exchange();
    }

    /** Turn and turn about, until neither has anything to do. */
    private void exchange() throws Trouble {
        int turns = 0;
        while (turn(client) | turn(server)) {
            if (++turns > MOST_TURNS) {
                throw Trouble.failed("client and server come to no end");
            }
        }
    }

    private boolean turn(MemoryEnd end) throws Trouble {
        if (end == server && ends.job.peer != Peer.WORKS) {
            return misbehaves();
        }
        int before = end.out.position();
        boolean moved = advance(end);
        if (listens && end == server && end.out.position() > before) {
            caller.said.keep(end.out.array(), before, end.out.position() - before);
        }
        count(end);
        return moved;
    }

    private boolean misbehaves() throws Trouble {
        boolean asked = server.in.position() > 0;
        server.in.clear();
        if (asked && ends.job.peer == Peer.RESETS) {
            throw Trouble.failed("the client: the server has reset the connection");
        }
        if (asked && ends.job.peer == Peer.PLAIN) {
            server.out.put(Peer.ANSWER);
            return true;
        }
        return false;
    }

    private boolean advance(MemoryEnd end) throws Trouble {
        try {
            return end.advance();
        } catch (SSLException | RuntimeException error) {
            throw blamed(end, error);
        }
    }

    private void wrap(ByteBuffer source, MemoryEnd end) throws Trouble {
        try {
            end.wrap(source);
        } catch (SSLException | RuntimeException error) {
            throw blamed(end, error);
        }
    }

    /** A failure like over sockets, whatever the library's exception would be elsewhere. */
    private Trouble blamed(MemoryEnd end, Exception error) {
        return Trouble.failed("the " + name(end) + ": " + Trouble.of(error, false).getMessage());
    }

    private String name(MemoryEnd end) {
        return end == client ? "client" : "server";
    }

    /** The time since the last call of this was that end's. */
    private void count(MemoryEnd end) {
        long now = System.nanoTime();
        end.spent += now - clock;
        clock = now;
    }
}
