package sealmark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Other things that happen to the file, and to the thread that writes to it. */
class SideFileTest {
    private static final String MARKER = "~s1x~email~";
    private static final String TOKEN = "~s1a~email~";

    @TempDir
    Path folder;

    private Path file;
    private LogSealer sealer;

    @BeforeEach
    void makeSealer() {
        file = folder.resolve("headers.txt");
        sealer = Seals.builder().sideFile(file).build();
    }

    @AfterEach
    void closeSealer() {
        sealer.close();
    }

    private void assertSeals() throws IOException {
        String token = sealer.seal(EMAIL, "a@b.example");
        assertTrue(token.startsWith(TOKEN), () -> token + ": " + sealer.lastFailure());
        assertTrue(Files.readString(file).contains("~s1h~" + Seals.sessionOf(token) + "~"));
    }

    @Test
    void anInterruptedThreadSealsAndStaysInterrupted() throws Exception {
        Thread.currentThread().interrupt();
        String token = sealer.seal(EMAIL, "a@b.example");
        assertTrue(Thread.interrupted());
        assertTrue(token.startsWith(TOKEN), () -> token + ": " + sealer.lastFailure());
        assertTrue(Files.readString(file).startsWith("~s1h~" + Seals.sessionOf(token) + "~"));
        assertEquals(0, sealer.failed());
    }

    @Test
    void aThreadThatIsInterruptedWhileItWaitsSealsToo() throws Exception {
        FutureTask<Boolean> sealing = new FutureTask<>(() -> {
            assertSeals();
            return Thread.currentThread().isInterrupted();
        });
        Thread thread = new Thread(sealing);
        try (LockHolder other = LockHolder.inThisProcess(file)) {
            thread.start();
            for (int time = 0; time < 4; time++) {
                Thread.sleep(50);
                thread.interrupt();
            }
            assertTrue(thread.isAlive(), "it did not wait");
            other.giveBack();
            assertTrue(sealing.get());
        }
    }

    private LockHolder holder(boolean isElsewhere) throws IOException {
        return isElsewhere ? LockHolder.elsewhere(file) : LockHolder.inThisProcess(file);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLockThatIsGivenBackSoonIsWaitedFor(boolean isElsewhere) throws Exception {
        try (LockHolder other = holder(isElsewhere)) {
            FutureTask<Void> sealing = new FutureTask<>(() -> {
                assertSeals();
                return null;
            });
            Thread thread = new Thread(sealing);
            thread.start();
            Thread.sleep(200);
            assertTrue(thread.isAlive(), "it did not wait");
            other.giveBack();
            sealing.get();
        }
        assertEquals(0, sealer.failed());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLockThatIsNeverGivenBackHoldsNobodyUp(boolean isElsewhere) throws Exception {
        try (LockHolder other = holder(isElsewhere)) {
            assertTimeoutPreemptively(Duration.ofSeconds(3), () -> {
                assertEquals(MARKER, sealer.seal(EMAIL, "a@b.example"));
                assertEquals(MARKER, sealer.seal(EMAIL, "a@b.example"));
            });
            assertEquals(2, sealer.failed());
            assertEquals("cannot write the session header to the side file \"" + file + "\": another process has held the lock for 1000 ms",
                    sealer.lastFailure());
            other.giveBack();
            Thread.sleep(1_100);
            assertSeals();
        }
    }

    @Test
    void aFileThatIsLockedHoldsNoOtherFileUp() throws Exception {
        Path free = folder.resolve("other.txt");
        boolean isFirst = false;
        // Where the machine is busy, a second may pass all the same.
        for (int round = 0; round < 5 && !isFirst; round++) {
            try (LockHolder other = LockHolder.inThisProcess(file);
                    LogSealer waiting = Seals.builder().sideFile(file).build();
                    LogSealer second = Seals.builder().sideFile(free).build()) {
                Thread thread = new Thread(() -> waiting.seal(EMAIL, "a@b.example"));
                thread.start();
                Thread.sleep(100);
                assertTrue(second.seal(EMAIL, "a@b.example").startsWith(TOKEN), second.lastFailure());
                isFirst = thread.isAlive();
                thread.join();
                other.giveBack();
            }
        }
        assertTrue(isFirst);
    }
}
