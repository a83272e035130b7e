package sealmark.lab.engine.tls;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Job {@code tls-transfer} with buffers between the ends. */
final class MemoryTransfer extends TlsWork {
    static final int WRITE = 16_384;

    private final Client caller;
    private final MemoryPair pair;
    private final ByteBuffer input;
    private final ByteBuffer received;
    private final ByteBuffer scratch = ByteBuffer.allocate(1);

    MemoryTransfer(Ends ends) throws Exception {
        super(ends);
        caller = ends.client();
        pair = new MemoryPair(ends, caller);
        input = ByteBuffer.wrap(ends.job.recipe.input(ends.job.bytes));
        received = ByteBuffer.allocate(ends.job.bytes + Span.SLACK);
    }

    @Override
    public String code() {
        return ends.library.code + ", two SSLEngines";
    }

    @Override
    void time(boolean down, long first, long count, Span span) throws Exception {
        caller.forget();
        pair.connect(span.tally);
        pair.echo((byte) 1, scratch);
        Arrays.fill(received.array(), Span.NOT_RECEIVED);
        MemoryEnd from = down ? pair.server : pair.client;
        MemoryEnd to = down ? pair.client : pair.server;
        to.plain = received;
        long client = pair.client.spent;
        long server = pair.server.spent;
        long wire = pair.wire();
        span.meter.start();
        for (long done = 0; done != count; done++) {
            once(from, to);
        }
        span.meter.stop();
        span.cpu(pair.client.spent - client, pair.server.spent - server);
        span.wire(pair.wire() - wire);
        span.received(received.array(), received.position());
        pair.close();
    }

    private void once(MemoryEnd from, MemoryEnd to) throws Exception {
        received.clear();
        for (int at = 0; at < ends.job.bytes; at += WRITE) {
            input.limit(Math.min(at + WRITE, ends.job.bytes)).position(at);
            pair.send(input, from, to);
        }
    }
}
