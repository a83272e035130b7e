package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        assertEquals(MARKER, Sealed.of("throws", "email", value).toString());
        assertEquals("java.lang.IllegalStateException", sealer.lastFailure());
        Sealers.remove("throws");
    }

    @Test
    void whereNoSealerIsInstalledValuesBecomeMarkers() {
        assertEquals(MARKER, Sealers.find("nobody").seal(EMAIL, "a@b.example"));
        assertEquals(MARKER, Sealed.of("nobody", "email", "a@b.example").toString());
        assertEquals("none", Sealers.find("nobody").engine());
        assertEquals("no sealer is installed", Sealers.find("nobody").lastFailure());
    }

    @Test
    void aNameThatIsTakenClosesWhoHadItBefore() {
        LogSealer first = Seals.sealer();
        Sealers.install("taken", first);
        Sealers.install("taken", Seals.sealer());
        assertEquals(MARKER, first.seal(EMAIL, "a@b.example"));
        assertTrue(Sealed.of("taken", "email", "a@b.example").toString().startsWith("~s1a~email~"));
        Sealers.remove("taken");
        assertEquals(MARKER, Sealed.of("taken", "email", "a@b.example").toString());
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
        assertEquals("pure-java", server.getAttribute(name, "Engine"));
        assertTrue(server.getAttribute(name, "LastFailure").toString().startsWith("a value of 2000000 bytes is too long"));
        Sealers.remove("over \"JMX\"");
        assertFalse(server.isRegistered(name));
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
        assertThrows(IllegalArgumentException.class, () -> Seals.builder().rotateAfter(java.time.Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> Seals.builder().rotateAfterValues(0));
        assertThrows(IllegalArgumentException.class, () -> Seals.builder().rotateAfterValues((1L << 32) + 1));
    }
}
