package sealmark.lab.engine.tls;

import java.nio.ByteBuffer;

/** Job {@code tls-connect} with buffers between the ends. */
final class MemoryConnect extends TlsWork {
    private final Client caller;
    private final MemoryPair pair;
    private final ByteBuffer scratch = ByteBuffer.allocate(1);

    MemoryConnect(Ends ends) throws Exception {
        super(ends);
        caller = ends.client();
        pair = new MemoryPair(ends, caller);
    }

    @Override
    public String code() {
        return ends.library.code + ", two SSLEngines";
    }

    @Override
    void time(boolean resumes, long first, long count, Span span) throws Exception {
        prepare(resumes);
        long client = pair.client.spent;
        long server = pair.server.spent;
        long wire = pair.wire();
        byte[] last = new byte[1];
        span.meter.start();
        for (long number = first; number != first + count; number++) {
            last[0] = once(resumes, (byte) number, span.tally);
        }
        span.meter.stop();
        span.cpu(pair.client.spent - client, pair.server.spent - server);
        span.wire(pair.wire() - wire);
        span.received(last, 1);
    }

    private void prepare(boolean resumes) throws Exception {
        if (resumes) {
            once(true, (byte) 0, new Tally());
        } else {
            caller.forget();
        }
    }

    private byte once(boolean resumes, byte value, Tally tally) throws Exception {
        pair.connect(tally);
        byte answer = pair.echo(value, scratch);
        pair.close();
        if (!resumes) {
            caller.forget();
        }
        return answer;
    }
}
