package sealmark.lab.engine.tls;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;

/** The client's socket. Its first bytes are kept, for they say which group was agreed on; the rest passes by. */
final class HeardSocket extends Socket {
    private final ServerMessages said;
    private InputStream in;

    HeardSocket(ServerMessages said) {
        this.said = said;
    }

    @Override
    public synchronized InputStream getInputStream() throws IOException {
        if (in == null) {
            in = new Heard(super.getInputStream(), said);
        }
        return in;
    }

    /**
     * Nothing: the JDK's TLS would say the end of the stream here, and after that the reset with which this end closes
     * is none any more, and leaves the server in TIME-WAIT.
     */
    @Override
    public void shutdownOutput() {}

    private static final class Heard extends FilterInputStream {
        private final ServerMessages said;

        Heard(InputStream in, ServerMessages said) {
            super(in);
            this.said = said;
        }

        @Override
        public int read() throws IOException {
            int one = in.read();
            if (one >= 0) {
                said.keep(new byte[] {(byte) one}, 0, 1);
            }
            return one;
        }

        @Override
        public int read(byte[] bytes, int from, int size) throws IOException {
            int count = in.read(bytes, from, size);
            if (count > 0) {
                said.keep(bytes, from, count);
            }
            return count;
        }
    }
}
