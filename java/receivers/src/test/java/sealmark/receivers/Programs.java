package sealmark.receivers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Programs of others that receive logs, as scripts/servers.sh installs them; each is a child process of a test. */
final class Programs {
    private static final Path PEERS = Path.of(System.getProperty("sealmark.root"), "target/peers").toAbsolutePath().normalize();
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private Programs() {}

    /** A configuration that docs/java.md shows. */
    static String text(String resource) throws IOException {
        try (InputStream in = Programs.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    /** A file of a program; skips the test where scripts/servers.sh has installed none. */
    static Path installed(String name) {
        Path file = PEERS.resolve(name);
        assumeTrue(Files.exists(file), file + " is missing: scripts/servers.sh");
        return file;
    }

    /** Starts a program, whose output goes to a file. */
    static Process start(Path output, Map<String, String> environment, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Ends a program in order. */
    static void end(Process program) throws InterruptedException {
        program.destroy();
        if (!program.waitFor(20, TimeUnit.SECONDS)) {
            program.destroyForcibly().waitFor();
            fail("it did not end: " + program.info());
        }
    }

    static void await(Path output, BooleanSupplier isSo, String what) throws IOException, InterruptedException {
        long until = System.nanoTime() + PATIENCE_NANOS;
        while (!isSo.getAsBoolean()) {
            assertTrue(System.nanoTime() < until, what + "\n" + Files.readString(output));
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    static int freeUdpPort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    static int freeTcpPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
