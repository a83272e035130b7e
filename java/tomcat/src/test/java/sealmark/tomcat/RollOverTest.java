package sealmark.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.testing.LogProgram;
import sealmark.testing.RepeatedHeaders;

/** Files that end while many threads log: each can be opened alone, and together they have every request once. */
class RollOverTest {
    private static final int THREADS = 16;
    private static final int REQUESTS = 150;

    @TempDir
    Path folder;

    private Path logs;
    private LogProgram program;
    private final SealedAccessLogValve valve = new SealedAccessLogValve();

    @BeforeEach
    void makeKeys() throws Exception {
        program = new LogProgram(folder);
        logs = Files.createDirectory(folder.resolve("logs"));
        valve.set("recipient", program.recipient());
        Server.log(valve, logs, "access", "%r");
    }

    @Test
    void byDateEachFileStandsAlone() throws Exception {
        valve.setRotatable(true);
        valve.setFileDateFormat(".HH-mm-ss");
        try (Server server = new Server(folder, valve)) {
            for (int round = 0; round < 3; round++) {
                load(server, round);
                // Tomcat looks at the time once a second.
                Thread.sleep(1100);
            }
        }
        assertAllIsThere(3, 3);
    }

    @Test
    void renamedOnDemandEachFileStandsAlone() throws Exception {
        try (Server server = new Server(folder, valve)) {
            Future<?> load = inBackground(server, 0);
            int files = 0;
            while (!load.isDone() || files < 3) {
                assertTrue(valve.rotate(logs.resolve("access." + files++ + ".log").toString()));
                Thread.sleep(50);
            }
            load.get();
        }
        assertAllIsThere(1, 4);
    }

    @Test
    void whatSomebodyElseMovedAwayIsEndedThere() throws Exception {
        valve.setCheckExists(true);
        try (Server server = new Server(folder, valve)) {
            load(server, 0);
            Files.move(logs.resolve("access.log"), logs.resolve("access.0.log"));
            load(server, 1);
        }
        assertAllIsThere(2, 2);
    }

    @Test
    void sessionsThatGrowOldAreClosedInTheFile() throws Exception {
        valve.set("rotateAfter", "PT0.05S");
        try (Server server = new Server(folder, valve)) {
            load(server, 0);
        }
        assertAllIsThere(1, 1);
        String log = Files.readString(logs.resolve("access.log"));
        int headers = log.split("~s1h~", -1).length;
        assertTrue(headers > 2, "one session only");
        assertEquals(headers, log.split("~s1z~", -1).length);
    }

    @Test
    void aLineThatACrashCutOffTakesNoneOfOursWithIt() throws Exception {
        String cut = "GET /?key=~s1a~key~7gQ2mJ0cXbVt";
        Path log = Files.writeString(logs.resolve("access.log"), cut);
        try (Server server = new Server(folder, valve)) {
            server.get("/?key=SECRET0");
        }
        assertIsWhole(log);
        assertEquals(cut + "\nGET /?key=SECRET0 HTTP/1.1\n", program.openText(log));
    }

    /** logrotate's copytruncate takes the header with it. */
    @Test
    void aFileThatWasEmptiedOpensAlone() throws Exception {
        Path log = logs.resolve("access.log");
        SealedAccessLogValve often = RepeatedHeaders.of(SealedAccessLogValve::new);
        often.set("recipient", program.recipient());
        often.setBuffered(false);
        try (Server server = new Server(folder, Server.log(often, logs, "access", "%r"))) {
            server.get("/?key=SECRET0");
            Files.write(log, new byte[0]);
            server.get("/?key=SECRET1");
        }
        assertEquals("GET /?key=SECRET1 HTTP/1.1\n", program.openText(log));
    }

    private void assertAllIsThere(int rounds, int files) throws Exception {
        List<String> opened = new ArrayList<>();
        try (Stream<Path> list = Files.list(logs)) {
            List<Path> all = list.sorted().toList();
            assertTrue(all.size() >= files, all::toString);
            for (Path file : all) {
                assertIsWhole(file);
                assertFalse(Files.readString(file).contains("SECRET"), file::toString);
                opened.addAll(program.openText(file).lines().toList());
            }
        }
        List<String> sent = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            for (int number = 0; number < THREADS * REQUESTS; number++) {
                sent.add("GET " + target(round, number) + " HTTP/1.1");
            }
        }
        assertEquals(sent.stream().sorted().toList(), opened.stream().sorted().toList());
    }

    /** A file that nothing was written to has no session. */
    private void assertIsWhole(Path file) throws Exception {
        if (Files.size(file) > 0) {
            program.run("log", "verify", "-i", program.identity.toString(), "--closed", file.toString());
        }
    }

    private Future<?> inBackground(Server server, int round) {
        ExecutorService background = Executors.newSingleThreadExecutor();
        Future<?> load = background.submit(() -> {
            load(server, round);
            return null;
        });
        background.shutdown();
        return load;
    }

    private void load(Server server, int round) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Void>> all = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = thread * REQUESTS;
                all.add(threads.submit(() -> ask(server, round, first)));
            }
            for (Future<Void> one : all) {
                one.get();
            }
        } finally {
            threads.shutdown();
            assertTrue(threads.awaitTermination(1, TimeUnit.MINUTES));
        }
    }

    /** Tomcat closes a connection when it has logged its last request. */
    private static Void ask(Server server, int round, int first) throws IOException {
        for (int number = first; number < first + REQUESTS; number++) {
            String answer = server.get(target(round, number));
            assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
        }
        return null;
    }

    private static String target(int round, int number) {
        return "/?round=" + round + "&key=SECRET" + number;
    }
}
