package sealmark.wss;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.KeyStore;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A key pair of the JDK's keytool, and a connection under it. */
final class Tls {
    static final String PASSWORD = "password";
    static final String ALIAS = "key";

    private Tls() {}

    static KeyStore keys() throws Exception {
        Path directory = Files.createTempDirectory("sealmark-wss");
        Path file = directory.resolve("keys.p12");
        Path tool = Paths.get(System.getProperty("java.home"), "bin", "keytool");
        Process keytool = new ProcessBuilder(tool.toString(), "-genkeypair", "-keyalg", "RSA", "-keysize", "2048", "-alias",
                ALIAS, "-dname", "CN=localhost", "-validity", "3000", "-storetype", "PKCS12", "-keystore", file.toString(),
                "-storepass", PASSWORD, "-keypass", PASSWORD).redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile()).start();
        if (keytool.waitFor() != 0) {
            throw new IOException(new String(Files.readAllBytes(directory.resolve("log")), StandardCharsets.UTF_8));
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        Files.delete(file);
        Files.delete(directory.resolve("log"));
        Files.delete(directory);
        return keys;
    }

    /** Sends some bytes each way, and tells the cipher suite. */
    static void handshake(Consumer<String> suite) throws Exception {
        KeyStore store = keys();
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(ALIAS, store.getCertificate(ALIAS));
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (SSLServerSocket server = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0)) {
            server.setEnabledProtocols(new String[] {"TLSv1.2"});
            server.setEnabledCipherSuites(new String[] {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"});
            Future<Integer> echoed = other.submit(() -> {
                try (SSLSocket socket = (SSLSocket) server.accept()) {
                    int one = socket.getInputStream().read();
                    socket.getOutputStream().write(one);
                    return one;
                }
            });
            try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("localhost", server.getLocalPort())) {
                socket.getOutputStream().write(42);
                if (socket.getInputStream().read() != 42 || echoed.get() != 42) {
                    throw new IOException("the echo differs");
                }
                suite.accept(socket.getSession().getCipherSuite());
            }
        } finally {
            other.shutdown();
        }
    }
}
