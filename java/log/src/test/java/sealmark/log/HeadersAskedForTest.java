package sealmark.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;
import static sealmark.log.Seals.sessionOf;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that takes tokens and writes no header, as any appender does that is none of ours, is told of. */
class HeadersAskedForTest {
    private static final Duration SOON = Duration.ofMillis(50);

    @TempDir
    Path folder;

    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private Handler handler;

    @BeforeEach
    void listen() {
        handler = Warnings.each(record -> warnings.add(record.getMessage()));
    }

    @AfterEach
    void end() {
        Warnings.end(handler);
    }

    @Test
    void tokensThatNobodyAsksTheHeaderOfAreToldOfOnceAndCounted() throws Exception {
        try (LogSealer sealer = Seals.builder().headerWithin(SOON).build()) {
            String first = sealer.seal(EMAIL, "a@b.example");
            await(sealer, 1);
            sealer.endSession();
            String second = sealer.seal(EMAIL, "a@b.example");
            await(sealer, 2);
            assertEquals(2, sealer.sessionsWithoutHeader());
            assertEquals(1, of(sessionOf(first)).size(), warnings::toString);
            assertTrue(of(sessionOf(first)).get(0).contains("\nhint: "), warnings::toString);
            assertEquals(List.of(), of(sessionOf(second)));
        }
    }

    @Test
    void aSealerThatIsClosedSoonerIsLookedAtThen() {
        LogSealer sealer = Seals.sealer();
        sealer.seal(EMAIL, "a@b.example");
        sealer.close();
        assertEquals(1, sealer.sessionsWithoutHeader());
    }

    @Test
    void whereALogHasTheHeaderThereIsNothingToTell() throws Exception {
        LogSealer logged = Seals.builder().headerWithin(SOON).build();
        LogSealer beside = Seals.builder().headerWithin(SOON).sideFile(folder.resolve("headers")).build();
        LogSealer silent = Seals.builder().headerWithin(Duration.ZERO).build();
        new SessionLines(Shape.PLAIN).before(logged.seal(EMAIL, "a@b.example"));
        beside.seal(EMAIL, "a@b.example");
        silent.seal(EMAIL, "a@b.example");
        Thread.sleep(200);
        for (LogSealer sealer : List.of(logged, beside, silent)) {
            sealer.close();
            assertEquals(0, sealer.sessionsWithoutHeader());
        }
    }

    /** A program may end as soon as its sealer is closed. */
    @Test
    void aProgramThatEndsIsTold() throws Exception {
        Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-cp",
                System.getProperty("java.class.path"), Program.class.getName()).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, process.waitFor(), said);
        assertTrue(said.contains("no log has the header of session "), said);
    }

    /** Seals one value that nobody can open. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            Warnings.each(record -> {
                LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
                System.out.println(record.getMessage());
            });
            LogSealer sealer = Seals.sealer();
            sealer.seal(EMAIL, "a@b.example");
            sealer.close();
        }
    }

    private List<String> of(String session) {
        return warnings.stream().filter(warning -> warning.contains(session)).toList();
    }

    private static void await(LogSealer sealer, long sessions) throws InterruptedException {
        for (int wait = 0; wait < 500 && sealer.sessionsWithoutHeader() < sessions; wait++) {
            Thread.sleep(10);
        }
        Thread.sleep(20);
    }
}
