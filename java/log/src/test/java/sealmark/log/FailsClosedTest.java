package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sealmark.log.engine.Allocated;
import sealmark.log.engine.Kind;
import sealmark.log.keys.PreSharedKey;

class FailsClosedTest {
    private static final String MARKER = "~s1x~email~";

    @TempDir
    private Path directory;

    @Test
    void withoutItsSideFileNothingIsSealed() throws Exception {
        Path missing = directory.resolve("no/such/headers.txt");
        LogSealer sealer = Seals.builder().sideFile(missing).build();
        assertEquals(MARKER, sealer.seal(EMAIL, "a@b.example"));
        assertEquals(MARKER, new String(sealer.seal(EMAIL, new byte[3]), ISO_8859_1));
        assertEquals(2, sealer.failed());
        assertEquals(0, sealer.sealed());
        assertTrue(sealer.lastFailure().contains("headers.txt"), sealer.lastFailure());
        Files.createDirectories(missing.getParent());
        Thread.sleep(1_100);
        assertTrue(sealer.seal(EMAIL, "a@b.example").startsWith("~s1a~email~"));
        assertTrue(Files.readString(missing).startsWith("~s1h~"));
    }

    @Test
    void aSealerThatWasClosedSealsNothing() {
        LogSealer sealer = Seals.sealer();
        sealer.seal(EMAIL, "a@b.example");
        sealer.close();
        sealer.close();
        assertEquals(MARKER, sealer.seal(EMAIL, "a@b.example"));
        assertEquals(1, sealer.sealed());
        assertEquals(1, sealer.failed());
    }

    @Test
    void aValueThatIsTooLongBecomesAMarker() {
        LogSealer sealer = Seals.builder().padding(1000).build();
        int longest = sealer.maxValue();
        assertEquals(1_047_999, longest);
        assertTrue(sealer.seal(EMAIL, "x".repeat(longest)).startsWith("~s1p~email~"));
        assertEquals(MARKER, sealer.seal(EMAIL, "x".repeat(longest + 1)));
        assertEquals(MARKER, new String(sealer.seal(EMAIL, new byte[longest + 1]), ISO_8859_1));
        assertEquals(MARKER.length(), sealer.tokenLength(EMAIL, longest + 1));
        assertEquals(2, sealer.failed());
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "PURE_JAVA"})
    void aValueThatIsFarTooLongIsNotCopied(LogSealer.Engine engine) throws Exception {
        LogSealer sealer = Seals.builder().engine(engine).build();
        String text = "1".repeat(64 << 20);
        byte[] bytes = new byte[64 << 20];
        sealer.seal(EMAIL, "the session begins");
        long before = Allocated.byThisThread();
        assertEquals(MARKER, sealer.seal(EMAIL, text));
        assertEquals(MARKER, sealer.sealJson(EMAIL, text));
        assertEquals(MARKER, new String(sealer.seal(EMAIL, bytes), ISO_8859_1));
        assertEquals(MARKER, new String(sealer.sealJson(EMAIL, bytes), ISO_8859_1));
        long allocated = Allocated.byThisThread() - before;
        assertTrue(allocated < 1 << 20, allocated + " bytes");
        assertEquals("the value is longer than 1048576 bytes, the limit of a token", sealer.lastFailure());
    }

    @Test
    void aValueWhoseTextThrowsBecomesAMarkerAndItsMessageIsNotKept() {
        LogSealer sealer = Seals.sealer();
        Sealers.install("throws", sealer);
        Object value = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("4111 1111 1111 1111");
            }
        };
        assertEquals(MARKER, Sealed.of("email", value).by("throws").toString());
        assertEquals("java.lang.IllegalStateException", sealer.lastFailure());
        Sealers.remove("throws");
    }

    @Test
    void noFieldOfASealedValueHoldsIt() throws Exception {
        Sealed sealed = Sealed.of("email", "a@b.example");
        for (Field field : Sealed.class.getDeclaredFields()) {
            field.setAccessible(true);
            assertFalse(String.valueOf(field.get(sealed)).contains("a@b.example"), field.getName());
            assertTrue(field.getType() != Object.class || Modifier.isTransient(field.getModifiers()), field.getName());
        }
    }

    @Test
    void errorsOfAValueDoNotReachTheLogCall() {
        LogSealer sealer = Seals.sealer();
        for (Error error : new Error[] {new AssertionError("4111"), new StackOverflowError(), new LinkageError("4111")}) {
            Object value = new Object() {
                @Override
                public String toString() {
                    throw error;
                }
            };
            assertEquals(MARKER, sealer.sealObject(Kind.ANY, EMAIL, value));
        }
        assertEquals(3, sealer.failed());
    }

    @Test
    void aThreadOutOfStackBlocksNobody() {
        for (LogSealer.Engine engine : new LogSealer.Engine[] {LogSealer.Engine.AUTO, LogSealer.Engine.PURE_JAVA}) {
            LogSealer sealer = Seals.builder().engine(engine).rotateAfterValues(500).build();
            assertTimeoutPreemptively(Duration.ofSeconds(60), () -> {
                for (int round = 0; round < 20; round++) {
                    Thread deep = new Thread(null, () -> sealAtEachDepth(sealer, 0), "deep", 256 << 10);
                    deep.start();
                    deep.join();
                    sealer.endSession();
                    assertTrue(sealer.seal(EMAIL, "a@b.example").startsWith("~s1a~email~"));
                }
            });
        }
    }

    private static int sealAtEachDepth(LogSealer sealer, int depth) {
        try {
            sealer.seal(EMAIL, "a@b.example");
            return depth == Integer.MAX_VALUE ? 0 : sealAtEachDepth(sealer, depth + 1) + 1;
        } catch (StackOverflowError error) {
            return 0;
        }
    }

    @Test
    void aFailureWhileASessionBeginsIsNotTriedForEachValue() throws Exception {
        Path file = directory.resolve("not yet there/headers.txt");
        LogSealer sealer = Seals.builder().sideFile(file).build();
        assertEquals(MARKER, sealer.seal(EMAIL, "a@b.example"));
        Files.createDirectory(file.getParent());
        for (int value = 0; value < 100; value++) {
            assertEquals(MARKER, sealer.seal(EMAIL, "a@b.example"));
        }
        assertEquals(101, sealer.failed());
        assertFalse(Files.exists(file));
    }

    @Test
    void aSideFileHasWholeHeadersOfSealersSideBySide() throws Exception {
        Path file = directory.resolve("headers.txt");
        LogSealer[] sealers = {Seals.builder().sideFile(file).build(), Seals.builder().sideFile(file).build()};
        Thread[] threads = new Thread[4];
        for (int at = 0; at < threads.length; at++) {
            LogSealer sealer = sealers[at % 2];
            threads[at] = new Thread(() -> {
                for (int session = 0; session < 50; session++) {
                    sealer.seal(EMAIL, "a@b.example");
                    sealer.endSession();
                }
            });
            threads[at].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, sealers[0].failed() + sealers[1].failed());
        assertTrue(Files.readAllLines(file).stream().allMatch(line -> line.matches("~s1h~[\\w-]{16}~[\\w-]{12}~1\\.1~[\\w-]+~")));
        assertTrue(Files.size(file) > 50 * 200);
    }

    @Test
    void aKeyThatWasReadIsWipedWhenTheSealerCloses() throws Exception {
        Path file = Files.writeString(directory.resolve("key"), new String(PreSharedKey.generate().secretChars()));
        LogSealer.Builder builder = LogSealer.builder().preSharedKeyFile(file).engine(LogSealer.Engine.PURE_JAVA);
        LogSealer first = builder.build();
        LogSealer second = builder.build();
        first.close();
        assertTrue(second.seal(EMAIL, "a@b.example").startsWith("~s1a~email~"));
    }

    @Test
    void whereNoSealerIsInstalledValuesBecomeMarkers() {
        assertEquals(MARKER, Sealers.find("nobody").seal(EMAIL, "a@b.example"));
        assertEquals(MARKER, Sealed.of("email", "a@b.example").by("nobody").toString());
        assertEquals("none", Sealers.find("nobody").engine());
        assertEquals("no sealer is installed: configure one, or call Sealers.install", Sealers.find("nobody").lastFailure());
    }

    @Test
    void whoHoldsASealerWhoseNameWasTakenSealsWithTheNewOne() {
        LogSealer first = Seals.sealer();
        LogSealer second = Seals.sealer();
        Sealers.install("taken", first);
        String before = Seals.sessionOf(first.seal(EMAIL, "a@b.example"));
        Sealers.install("taken", second);
        String token = first.seal(EMAIL, "a@b.example");
        assertNotEquals(before, Seals.sessionOf(token));
        assertEquals(Seals.sessionOf(second.seal(EMAIL, "a@b.example")), Seals.sessionOf(token));
        assertEquals(Seals.sessionOf(token), Seals.sessionOf(new String(first.seal(EMAIL, new byte[3]), ISO_8859_1)));
        assertEquals(0, first.failed());
        assertTrue(Sealed.of("email", "a@b.example").by("taken").toString().startsWith("~s1a~email~"));
        Sealers.remove("taken");
        assertEquals(MARKER, Sealed.of("email", "a@b.example").by("taken").toString());
    }

    @Test
    void aSealerThatWasClosedIsNotInstalled() {
        LogSealer first = Seals.sealer();
        LogSealer second = Seals.sealer();
        Sealers.install("again", first);
        Sealers.install("again", second);
        var refused = assertThrows(IllegalArgumentException.class, () -> Sealers.install("again", first));
        assertTrue(refused.getMessage().startsWith("sealer \"again\" was already closed"), refused.getMessage());
        assertTrue(first.seal(EMAIL, "a@b.example").startsWith("~s1a~email~"));
        Sealers.remove("again");
        assertEquals(MARKER, first.seal(EMAIL, "a@b.example"));
    }

    @Test
    void aLongRowOfSealersThatTookTheNameIsFollowedToTheLast() {
        LogSealer first = Seals.sealer();
        LogSealer last = first;
        for (int sealer = 0; sealer < 5_000; sealer++) {
            LogSealer next = Seals.sealer();
            last.handOverTo(next);
            last.close();
            last = next;
        }
        assertEquals(Seals.sessionOf(last.seal(EMAIL, "a")), Seals.sessionOf(first.seal(EMAIL, "a")));
        assertEquals(Seals.sessionOf(last.seal(EMAIL, "a")), Seals.sessionOf(new String(first.seal(EMAIL, new byte[1]), ISO_8859_1)));
    }

    /** Logback drops what is logged by the thread that is in an appender. */
    @Test
    void aWarningIsNotLoggedByTheThreadThatSeals() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        Handler handler = Warnings.each(record -> threads.add(Thread.currentThread().getName()));
        try {
            Seals.sealer().seal(EMAIL, "x".repeat(2_000_000));
            for (int wait = 0; wait < 500 && threads.isEmpty(); wait++) {
                Thread.sleep(10);
            }
            // Sealers of other tests may warn of other things meanwhile.
            assertEquals(Set.of("sealmark-ages"), Set.copyOf(threads));
        } finally {
            Warnings.end(handler);
        }
    }

    @Test
    void failuresAreCountedWhereJmxSeesThem() throws Exception {
        LogSealer sealer = Seals.sealer();
        Sealers.install("over \"JMX\"", sealer);
        ObjectName name = new ObjectName("sealmark:type=LogSealer,name=" + ObjectName.quote("over \"JMX\""));
        var server = ManagementFactory.getPlatformMBeanServer();
        sealer.seal(EMAIL, "a@b.example");
        sealer.seal(EMAIL, "x".repeat(2_000_000));
        assertEquals(1L, server.getAttribute(name, "Sealed"));
        assertEquals(1L, server.getAttribute(name, "Failed"));
        assertEquals(0L, server.getAttribute(name, "SessionsWithoutHeader"));
        assertEquals("pure-java", server.getAttribute(name, "Engine"));
        assertEquals("the value is longer than 1048576 bytes, the limit of a token", server.getAttribute(name, "LastFailure"));
        Sealers.remove("over \"JMX\"");
        assertFalse(server.isRegistered(name));
    }

    @Test
    void whatAnAdapterCouldNotHaveSealedIsCountedToo() {
        LogSealer sealer = Seals.sealer();
        assertEquals(MARKER, sealer.unsealed(EMAIL, "java.lang.IllegalStateException\nand more"));
        assertEquals(1, sealer.failed());
        assertEquals("java.lang.IllegalStateException", sealer.lastFailure());
    }

    @Test
    void onlyTheCallersOwnMistakesThrow() {
        LogSealer sealer = Seals.sealer();
        byte[] out = new byte[sealer.tokenLength(EMAIL, 4)];
        assertEquals(out.length, sealer.seal(EMAIL, new byte[6], 1, 4, out, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> sealer.seal(EMAIL, new byte[4], 1, 4, out, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> sealer.seal(EMAIL, new byte[4], 0, 4, out, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> sealer.seal(EMAIL, new byte[4], 0, 4, out, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> sealer.seal(EMAIL, new byte[4], 0, 4, out, Integer.MAX_VALUE));
        assertEquals(0, sealer.failed());
    }

    @Test
    void nothingToSealForIsRefusedAtOnce() {
        assertThrows(IllegalArgumentException.class, () -> LogSealer.builder().build());
        assertThrows(IllegalArgumentException.class, () -> LogSealer.builder().recipient("age1nonsense"));
        assertThrows(IllegalArgumentException.class, () -> Seals.builder().padding(-1));
        assertThrows(IllegalArgumentException.class, () -> Seals.builder().padding((1 << 20) + 1));
        assertThrows(IllegalArgumentException.class, () -> Seals.builder().rotateAfter(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> Seals.builder().rotateAfterValues(0));
        assertThrows(IllegalArgumentException.class, () -> Seals.builder().rotateAfterValues((1L << 32) + 1));
    }
}
