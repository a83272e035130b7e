package sealmark.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.LogOpener;
import sealmark.testing.SeenMarkers;

/** Two applications in one JVM, each with the library's classes for itself. */
class TwoLoadersTest {
    private static final int VALUES = 2_000;

    private final MBeanServer jmx = ManagementFactory.getPlatformMBeanServer();

    @TempDir
    Path folder;

    private Path key;
    private Path headers;

    @BeforeEach
    void writeKey() throws Exception {
        key = folder.resolve("key");
        headers = folder.resolve("headers.txt");
        try (PreSharedKey made = PreSharedKey.generate()) {
            Files.writeString(key, new String(made.secretChars()));
        }
    }

    @Test
    void bothSealWithNativeCodeAndEachValueOpensOnce() throws Exception {
        assumeTrue(Files.exists(Path.of(System.getProperty("sealmark.jni"))), "no native library was built");
        Set<String> expected = new TreeSet<>();
        List<String> opened = new ArrayList<>();
        try (LibraryLoader one = new LibraryLoader();
                LibraryLoader other = new LibraryLoader();
                LogOpener opener = LogOpener.builder().preSharedKeyFile(key).build()) {
            List<FutureTask<List<String>>> sealing = List.of(sealing(one, "one"), sealing(other, "other"));
            for (FutureTask<List<String>> tokens : sealing) {
                new Thread(tokens).start();
            }
            List<String> tokens = new ArrayList<>();
            for (FutureTask<List<String>> some : sealing) {
                tokens.addAll(some.get());
            }
            opener.learn(headers);
            for (String token : tokens) {
                opened.add(new String(opener.openToken(token).orElseThrow(), UTF_8));
            }
            assertEquals(0, opener.report().tampered() + opener.report().orphans());
        }
        for (int value = 0; value < VALUES; value++) {
            expected.addAll(List.of("one " + value, "other " + value));
        }
        assertEquals(2 * VALUES, opened.size());
        assertEquals(expected, new TreeSet<>(opened));
    }

    private FutureTask<List<String>> sealing(LibraryLoader application, String name) throws Exception {
        application.call("install", name, key, headers, "NATIVE");
        assertEquals("native", application.call("engine", name));
        return new FutureTask<>(() -> {
            List<String> tokens = new ArrayList<>();
            for (int value = 0; value < VALUES; value++) {
                tokens.add(application.call("seal", name, name + " " + value));
            }
            application.call("remove", name);
            return tokens;
        });
    }

    /** Finds the beans of that name, whatever follows it in JMX. */
    private Set<ObjectName> seen(String name) throws Exception {
        return jmx.queryNames(new ObjectName("sealmark:type=LogSealer,name=" + name + ",*"), null);
    }

    @Test
    void jmxSeesTheSealersOfBoth() throws Exception {
        try (LibraryLoader one = new LibraryLoader(); LibraryLoader other = new LibraryLoader()) {
            ObjectName first = new ObjectName("sealmark:type=LogSealer,name=\"both\"");
            one.call("install", "both", key, headers, "PURE_JAVA");
            other.call("install", "both", key, headers, "PURE_JAVA");
            other.call("seal", "both", "a@b.example");
            assertEquals(2, seen("\"both\"").size());
            assertEquals(0L, jmx.getAttribute(first, "Sealed"));
            ObjectName second = seen("\"both\"").stream().filter(name -> !name.equals(first)).findFirst().orElseThrow();
            assertEquals(Integer.toHexString(System.identityHashCode(other)), second.getKeyProperty("loader"));
            assertEquals(1L, jmx.getAttribute(second, "Sealed"));
            one.call("remove", "both");
            assertEquals(Set.of(second), seen("\"both\""));
            other.call("remove", "both");
            assertEquals(Set.of(), seen("\"both\""));
        }
    }

    @Test
    void jmxSeesTheMarkersOfThoseWhoHaveNoSealer() throws Exception {
        ObjectName ours = new ObjectName("sealmark:type=LogSealer,name=none");
        Sealers.find("nobody").seal(Seals.EMAIL, "a@b.example");
        waitFor(ours);
        assertEquals(Sealers.find("nobody").failed(), jmx.getAttribute(ours, "Failed"));
        try (LibraryLoader other = new LibraryLoader()) {
            ObjectName theirs = new ObjectName(ours + ",loader=" + Integer.toHexString(System.identityHashCode(other)));
            assertEquals("~s1x~email~", other.call("seal", "nobody", "a@b.example"));
            other.call("seal", "nobody", "a@b.example");
            waitFor(theirs);
            assertEquals(2L, jmx.getAttribute(theirs, "Failed"));
            assertEquals("none", jmx.getAttribute(theirs, "Engine"));
            assertEquals("no sealer is installed: configure one, or call Sealers.install",
                    jmx.getAttribute(theirs, "LastFailure"));
            other.call("remove", "nobody");
            assertFalse(jmx.isRegistered(theirs), "the application is kept");
            other.call("seal", "nobody", "a@b.example");
            waitFor(theirs);
            assertEquals(3L, jmx.getAttribute(theirs, "Failed"));
            other.call("remove", "nobody");
        }
    }

    /** An application that is undeployed amid a log call. */
    @Test
    @SuppressWarnings("LockOnNonEnclosingClassLiteral") // Holds up the thread that shows them.
    void markersOfWhoHasGoneAreNotShownAfterwards() throws Exception {
        Management.hideNone();
        synchronized (Management.class) {
            Sealers.find("nobody").seal(Seals.EMAIL, "a@b.example");
            Management.hideNone();
        }
        CountDownLatch shown = new CountDownLatch(1);
        Ages.soon(shown::countDown);
        assertTrue(shown.await(30, TimeUnit.SECONDS));
        assertFalse(SeenMarkers.areThere());
    }

    @Test
    void whoInstalledASealerTakesAwayNobodyElses() throws Exception {
        LogSealer one = LogSealer.builder().preSharedKey(PreSharedKey.generate()).build();
        LogSealer other = LogSealer.builder().preSharedKey(PreSharedKey.generate()).build();
        Sealers.install("shared", one);
        Sealers.install("shared", other);
        Sealers.remove("shared", one);
        Sealers.remove("shared", null);
        assertSame(other, Sealers.find("shared"));
        assertEquals(1, seen("\"shared\"").size());
        Sealers.remove("shared", other);
        assertEquals(Set.of(), seen("\"shared\""));
        assertEquals("~s1x~email~", other.seal(Seals.EMAIL, "a@b.example"));
    }

    /** Another thread shows it. */
    private void waitFor(ObjectName name) throws Exception {
        for (int wait = 0; wait < 1_000 && !jmx.isRegistered(name); wait++) {
            Thread.sleep(10);
        }
        assertTrue(jmx.isRegistered(name), name::toString);
    }
}
