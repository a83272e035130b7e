package sealmark.lab.app;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** One connection that is kept, as plain as can be: what a client costs, Tomcat has not. */
final class Client implements AutoCloseable {
    /** No read waits longer. */
    private static final int PATIENCE_MS = 5_000;

    private static final byte[] GOOD = "HTTP/1.1 200 ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END_OF_HEADERS = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Socket socket;
    private final byte[] buffer = new byte[8_192];
    private int filled;

    Client(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MS);
    }

    /** Sends a request and waits for the whole of the answer, which must be the right one. */
    void exchange(Request request) throws IOException, Trouble {
        socket.getOutputStream().write(request.bytes);
        filled = 0;
        int headers = 0;
        // Both ends know the length of the body: where it ends, the answer does.
        while (headers == 0 || filled < headers + request.body.length) {
            read();
            headers = headers == 0 ? endOfHeaders() : headers;
        }
        if (!startsWith(GOOD) || !isBody(headers, request.body)) {
            throw Trouble.failed("wrong answer: " + new String(buffer, 0, filled, StandardCharsets.ISO_8859_1));
        }
    }

    private void read() throws IOException {
        int read = socket.getInputStream().read(buffer, filled, buffer.length - filled);
        if (read <= 0) {
            throw new EOFException("the server closed the connection, or said too much");
        }
        filled += read;
    }

    /** Where the body begins; 0 where that is not there yet. */
    private int endOfHeaders() {
        for (int end = END_OF_HEADERS.length; end <= filled; end++) {
            if (Arrays.equals(buffer, end - END_OF_HEADERS.length, end, END_OF_HEADERS, 0, END_OF_HEADERS.length)) {
                return end;
            }
        }
        return 0;
    }

    private boolean startsWith(byte[] start) {
        return Arrays.equals(buffer, 0, start.length, start, 0, start.length);
    }

    private boolean isBody(int from, byte[] body) {
        return Arrays.equals(buffer, from, filled, body, 0, body.length);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
