package sealmark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;
import static sealmark.log.Seals.sessionOf;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
        new OwnLines(Shape.PLAIN).before(logged.seal(EMAIL, "a@b.example"));
        beside.seal(EMAIL, "a@b.example");
        silent.seal(EMAIL, "a@b.example");
        Thread.sleep(200);
        for (LogSealer sealer : List.of(logged, beside, silent)) {
            sealer.close();
            assertEquals(0, sealer.sessionsWithoutHeader());
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
