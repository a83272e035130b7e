package sealmark.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;

/** Where appenders send to: keeps what comes, on loopback. */
public final class Sink implements AutoCloseable {
    private static final int LONGEST = 65_536;

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final int port;
    private final Closeable socket;

    private Sink(int port, Closeable socket) {
        this.port = port;
        this.socket = socket;
    }

    /** Reads connections to their ends. */
    public static Sink tcp() throws IOException {
        return tcp(Sink::read);
    }

    /** Takes every mail. */
    public static Sink smtp() throws IOException {
        return tcp(Sink::talk);
    }

    /** A line for each packet. */
    public static Sink udp() throws IOException {
        DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        Sink sink = new Sink(socket.getLocalPort(), socket);
        start(() -> {
            while (true) {
                DatagramPacket packet = new DatagramPacket(new byte[LONGEST], LONGEST);
                socket.receive(packet);
                sink.take(packet.getData(), packet.getLength());
                sink.take(new byte[] {'\n'}, 1);
            }
        });
        return sink;
    }

    private static Sink tcp(Conversation conversation) throws IOException {
        ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Sink sink = new Sink(server.getLocalPort(), server);
        start(() -> {
            while (true) {
                Socket connection = server.accept();
                start(() -> {
                    try (connection) {
                        conversation.hold(sink, connection);
                    }
                });
            }
        });
        return sink;
    }

    private static void read(Sink sink, Socket connection) throws IOException {
        byte[] some = new byte[LONGEST];
        for (int length = connection.getInputStream().read(some); length >= 0;
                length = connection.getInputStream().read(some)) {
            sink.take(some, length);
        }
    }

    /** Speaks as little of RFC 5321 as clients need. */
    private static void talk(Sink sink, Socket connection) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(connection.getInputStream(), ISO_8859_1));
        boolean isData = false;
        answer(connection, "220 sink");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            byte[] bytes = (line + "\n").getBytes(ISO_8859_1);
            sink.take(bytes, bytes.length);
            if (isData) {
                isData = !line.equals(".");
                if (!isData) {
                    answer(connection, "250 taken");
                }
            } else {
                isData = line.equals("DATA");
                answer(connection, isData ? "354 go on" : line.equals("QUIT") ? "221 bye" : "250 yes");
            }
        }
    }

    private static void answer(Socket connection, String line) throws IOException {
        connection.getOutputStream().write((line + "\r\n").getBytes(ISO_8859_1));
    }

    private static void start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException closed) {
                return;
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private synchronized void take(byte[] bytes, int length) {
        received.write(bytes, 0, length);
    }

    /** Where to send. */
    public int port() {
        return port;
    }

    /** All that has come; waits until something has, and no more comes. */
    public byte[] received() throws InterruptedException {
        int before = 0;
        for (int tries = 0; tries < 100 && (before == 0 || now().length > before); tries++) {
            before = now().length;
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return now();
    }

    /** All that has come so far. */
    public synchronized byte[] now() {
        return received.toByteArray();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private interface Work {
        void run() throws IOException;
    }

    private interface Conversation {
        void hold(Sink sink, Socket connection) throws IOException;
    }

    /** Where nothing can be written. */
    public static PrintStream failing(Error error) {
        return new PrintStream(new OutputStream() {
            @Override
            public void write(int unit) throws IOException {
                if (error != null) {
                    throw error;
                }
                throw new IOException("full");
            }
        }, true, UTF_8);
    }
}
