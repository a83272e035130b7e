import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * Opens connections over the loopback address, full and resumed, with and without TCP_NODELAY: connect, handshake, one byte
 * each way. It counts the writes of both ends, the acknowledgements that the kernel delayed, and the certificates that the
 * client was shown, which are those of full handshakes.
 *
 * <p>Arguments: connections=20 protocols=TLSv1.2,TLSv1.3
 */
final class Resume {
    private static final char[] PASSWORD = "changeit".toCharArray();
    /** Connections of each kind before the first measured one: the JVM compiles their code. */
    private static final int WARM = 100;

    private static SSLContext server;
    private static Thread answering;
    private static ServerSocket listening;
    private static volatile boolean nodelay;
    private static final AtomicInteger WRITES = new AtomicInteger();
    private static final AtomicInteger CERTIFICATES = new AtomicInteger();

    public static void main(String[] arguments) throws Exception {
        int waiting = Common.number(arguments, "connections", 20);
        server = SSLContext.getInstance("TLS");
        server.init(keys(), null, null);
        listening = new Listening();
        answering = new Thread(Resume::answer);
        answering.setDaemon(true);
        answering.start();
        for (String protocol : Common.text(arguments, "protocols", "TLSv1.2,TLSv1.3").split(",")) {
            warmUp(protocol);
            for (boolean waits : new boolean[] {true, false}) {
                nodelay = !waits;
                // Connections that wait take so long that a tenth of them has to do.
                int connections = waits ? waiting : 10 * waiting;
                measure(protocol, false, connections);
                measure(protocol, true, connections);
            }
        }
    }

    /** Without waiting, so that many connections pass in little time. */
    private static void warmUp(String protocol) throws Exception {
        nodelay = true;
        SSLContext shared = client();
        for (int number = 0; number < WARM; number++) {
            connect(client(), protocol);
            connect(shared, protocol);
        }
    }

    private static void measure(String protocol, boolean resumed, int connections) throws Exception {
        SSLContext shared = client();
        double[] times = new double[connections];
        long delayed = 0;
        long cpu = 0;
        for (int number = -1; number < connections; number++) {
            if (number == 0) {
                delayed = delayedAcknowledgements();
                cpu = Common.nanos() + Common.nanos(answering);
                CERTIFICATES.set(0);
                WRITES.set(0);
            }
            SSLContext context = resumed ? shared : client();
            long start = System.nanoTime();
            connect(context, protocol);
            if (number >= 0) {
                times[number] = (System.nanoTime() - start) / 1e6;
            }
        }
        Arrays.sort(times);
        System.out.printf("%s %-11s %-7s: %.2f ms (least %.2f), %.2f ms of CPU, %.1f writes, %.1f delayed acknowledgements%n",
                protocol, nodelay ? "TCP_NODELAY" : "Nagle", resumed ? "resumed" : "full", times[connections / 2], times[0],
                (Common.nanos() + Common.nanos(answering) - cpu) / 1e6 / connections, WRITES.doubleValue() / connections,
                (double) (delayedAcknowledgements() - delayed) / connections);
        if (CERTIFICATES.get() != (resumed ? 0 : connections)) {
            throw new IllegalStateException("connections were not what they are called");
        }
    }

    private static SSLContext client() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Trust()}, null);
        return context;
    }

    private static void connect(SSLContext context, String protocol) throws IOException {
        Socket plain = new Counted();
        plain.connect(listening.getLocalSocketAddress());
        plain.setTcpNoDelay(nodelay);
        SSLSocketFactory factory = context.getSocketFactory();
        try (SSLSocket socket = (SSLSocket) factory.createSocket(plain, "localhost", listening.getLocalPort(), true)) {
            socket.setEnabledProtocols(new String[] {protocol});
            socket.getOutputStream().write(1);
            if (socket.getInputStream().read() != 1 || !socket.getSession().getProtocol().equals(protocol)) {
                throw new IOException("no answer by " + protocol);
            }
        }
    }

    private static void answer() {
        while (true) {
            try {
                Socket plain = listening.accept();
                plain.setTcpNoDelay(nodelay);
                try (SSLSocket socket = (SSLSocket) server.getSocketFactory().createSocket(plain, null, true)) {
                    socket.setUseClientMode(false);
                    socket.getOutputStream().write(socket.getInputStream().read());
                    // The client closes first, so that its end is in its own time.
                    socket.getInputStream().read();
                }
            } catch (IOException ended) {
                // The client tells of a connection that failed.
            }
        }
    }

    /** The counter DelayedACKs of TcpExt, for the whole machine; 0 where the kernel does not count. */
    private static long delayedAcknowledgements() throws IOException {
        Path counters = Paths.get("/proc/net/netstat");
        if (!Files.isReadable(counters)) {
            return 0;
        }
        List<String> lines = Files.readAllLines(counters);
        int at = Arrays.asList(lines.get(0).split(" ")).indexOf("DelayedACKs");
        return Long.parseLong(lines.get(1).split(" ")[at]);
    }

    private static KeyManager[] keys() throws Exception {
        Path directory = Files.createTempDirectory("cause");
        Path file = directory.resolve("keys.p12");
        try {
            Process keytool = new ProcessBuilder(Paths.get(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair", "-keyalg", "RSA", "-keysize", "2048", "-dname", "CN=localhost", "-storetype", "PKCS12",
                    "-keystore", file.toString(), "-storepass", new String(PASSWORD)).redirectErrorStream(true).start();
            while (keytool.getInputStream().read() != -1) {
                continue;
            }
            keytool.waitFor();
            KeyStore store = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(file)) {
                store.load(in, PASSWORD);
            }
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, PASSWORD);
            return managers.getKeyManagers();
        } finally {
            Files.deleteIfExists(file);
            Files.delete(directory);
        }
    }

    /** Accepts sockets of our own class, so that their writes are counted, too. */
    private static final class Listening extends ServerSocket {
        Listening() throws IOException {
            super(0, 50, InetAddress.getLoopbackAddress());
        }

        @Override
        public Socket accept() throws IOException {
            Socket socket = new Counted();
            implAccept(socket);
            return socket;
        }
    }

    private static final class Counted extends Socket {
        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    WRITES.incrementAndGet();
                    out.write(bytes, from, length);
                }
            };
        }
    }

    /** Trusts everybody on the loopback address, and counts. */
    private static final class Trust implements X509TrustManager {
        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            CERTIFICATES.incrementAndGet();
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
