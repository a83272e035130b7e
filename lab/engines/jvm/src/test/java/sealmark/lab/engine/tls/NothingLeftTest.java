package sealmark.lab.engine.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Thousands of connections leave no thread, no file and no socket, not even one in TIME-WAIT. */
class NothingLeftTest {
    private static final String TLS_1_2 = "TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 X25519 RSA-2048";
    private static final String TLS_1_3 = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 RSA-2048";
    /** Connections can be over before anybody has looked who listens. */
    private static final int ASKED = 20;

    private static final String LISTEN = "0A";
    private static final String TIME_WAIT = "06";

    @TempDir
    private Path scratch;

    @Test
    void thousandsOfConnectionsLeaveNothing() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/task")), "counted by Linux");
        leaveNothing("SunJSSE", TLS_1_2, "resumed", 2000);
        leaveNothing("SunJSSE", TLS_1_3, "resumed", 300);
        leaveNothing("BCJSSE", TLS_1_2, "resumed", 300);
        leaveNothing("Conscrypt", TLS_1_3, "full", 600);
    }

    private void leaveNothing(String library, String terms, String operation, int count) throws Exception {
        try (Lines lines = new Lines(library, scratch)) {
            Talk talk = lines.talk();
            lines.ready("tls-connect", terms, "nodelay", 1, ",'concurrency':2");
            talk.ask(Talk.time(operation, 0, 100));
            Path process = Path.of("/proc/" + talk.pid());
            long threads = count(process.resolve("task"));
            long files = count(process.resolve("fd"));
            Set<String> ports = new TreeSet<>();
            for (int asked = 0; asked < ASKED && ports.isEmpty(); asked++) {
                CompletableFuture<Map<String, String>> answer =
                        CompletableFuture.supplyAsync(() -> time(talk, operation, count));
                while (!answer.isDone()) {
                    ports.addAll(listening(process));
                }
                assertEquals("" + count, answer.get().get(operation), library + answer.get());
            }
            assertFalse(ports.isEmpty());
            assertEquals(List.of(), table(process, TIME_WAIT).stream().filter(row -> ports.contains(port(row)))
                    .map(row -> String.join(" ", row)).collect(Collectors.toList()));
            assertEquals(Set.of(), listening(process));
            assertTrue(count(process.resolve("fd")) <= files, "the JVM closes archives that it has read");
            assertTrue(count(process.resolve("task")) <= threads + COMPILERS, "the JVM's own threads come and go");
        }
    }

    /** The JVM hires compilers while there is much to compile. */
    private static final int COMPILERS = 2;

    private static Map<String, String> time(Talk talk, String operation, int count) {
        try {
            return talk.ask(Talk.time(operation, 0, count));
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }

    /** The ports that sockets of this process listen on. */
    private static Set<String> listening(Path process) throws IOException {
        Set<String> own = new TreeSet<>();
        try (Stream<Path> files = Files.list(process.resolve("fd"))) {
            for (Path file : files.collect(Collectors.toList())) {
                try {
                    own.add(Files.readSymbolicLink(file).toString().replaceAll("\\D", ""));
                } catch (IOException closed) {
                    own.remove("");
                }
            }
        }
        return table(process, LISTEN).stream().filter(row -> own.contains(row[9])).map(NothingLeftTest::port)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String[]> table(Path process, String state) throws IOException {
        List<String[]> rows = new ArrayList<>();
        for (String name : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(process.resolve("net").resolve(name))) {
                String[] row = line.trim().split(" +");
                if (row[3].equals(state)) {
                    rows.add(row);
                }
            }
        }
        return rows;
    }

    private static String port(String[] row) {
        return row[1].substring(row[1].indexOf(':') + 1);
    }

    private static long count(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.count();
        }
    }
}
