package sealmark.log.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Shape;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.LogOpener;
import sealmark.log.reader.OpenReport;
import sealmark.log.wrap.Readers;

class NativeSessionTest {
    private static final Label EMAIL = Label.of("email");
    private static final int LONGEST = Session.MAX_PLAINTEXT;

    /** On both sides of what a slot has room for. */
    private static final int[] LENGTHS =
            {0, 1, 5, 49, 63, 64, 65, 1000, 4095, 8404, 14_000, 15_000, 55_000, 57_000, 200_000, LONGEST};

    private final PreSharedKey key = PreSharedKey.generate();

    /** Before, as it would come amid a test otherwise: many values are sealed here. */
    @BeforeAll
    static void linkedIsHereWhereItCanBe() throws Exception {
        assumeTrue(NativeLibrary.missing().isEmpty(), () -> NativeLibrary.missing().toString());
        boolean isComing = Linked.begin();
        for (int tenth = 0; tenth < 300 && isComing && !NativeSlot.isLinked(); tenth++) {
            Thread.sleep(100);
        }
    }

    @BeforeEach
    void waysAreNotMixed() {
        NativeSlot.useLinked(isLinked());
    }

    @AfterAll
    static void othersUseJni() {
        NativeSlot.useLinked(false);
    }

    boolean isLinked() {
        return false;
    }

    final Session begin(int padding) throws SealException {
        return begin(padding, Session.MAX_VALUES);
    }

    private Session begin(int padding, long limit) throws SealException {
        return Engine.choose(LogSealer.Engine.NATIVE).begin(Readers.of(key), padding, limit, null);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 16, 1000, LONGEST})
    void textsAndBytesOfAllSizesOpen(int padding) throws Exception {
        Session session = begin(padding);
        for (int length : LENGTHS) {
            String ascii = "x".repeat(Math.min(length, new Layout(padding).longestValue()));
            assertOpens(session, ascii);
            assertOpens(session, ascii.substring(length / 3 * 2) + "é€😀".repeat(length / 40) + "\ud83d?\udc00");
        }
        assertEquals(4L * LENGTHS.length, session.count());
    }

    private void assertOpens(Session session, String value) throws Exception {
        byte[] bytes = value.getBytes(UTF_8);
        byte[] out = new byte[LONGEST * 4];
        int length = session.seal(Kind.ANY, EMAIL, bytes, 0, bytes.length, out, 7);
        try (LogOpener opener = LogOpener.builder().preSharedKey(key).build()) {
            opener.learn(session.headerLines(Shape.PLAIN).getBytes(UTF_8));
            assertArrayEquals(bytes, opener.openToken(session.seal(Kind.ANY, EMAIL, value)).orElseThrow());
            assertArrayEquals(bytes, opener.openToken(new String(out, 7, length, ISO_8859_1)).orElseThrow());
        }
        assertEquals(0, out[6] | out[7 + length], "written beside");
    }

    @Test
    void labelsOfOneSlotDoNotMix() throws Exception {
        Session session = begin(0);
        for (String name : List.of("a", "x".repeat(64), "b", "user.e-mail_2", "b", "a")) {
            String token = session.seal(Kind.ANY, Label.of(name), "v");
            assertTrue(token.startsWith("~s1a~" + name + "~" + session.id() + "~"), token);
        }
    }

    @Test
    void whatIsTooLongOrHasNoRoomIsRefusedAndUsesNoCounter() throws Exception {
        Session session = begin(0);
        byte[] tooLong = new byte[LONGEST + 1];
        byte[] out = new byte[LONGEST * 2];
        assertThrows(SealException.class, () -> session.seal(Kind.ANY, EMAIL, "x".repeat(LONGEST + 1)));
        assertThrows(SealException.class, () -> session.seal(Kind.ANY, EMAIL, "é".repeat(LONGEST / 2 + 1)));
        assertThrows(SealException.class, () -> session.seal(Kind.ANY, EMAIL, tooLong, 0, LONGEST + 1, out, 0));
        int length = session.seal(Kind.ANY, EMAIL, "").length();
        assertThrows(SealException.class, () -> session.seal(Kind.ANY, EMAIL, tooLong, 0, 0, new byte[length - 1], 0));
        assertThrows(SealException.class, () -> session.seal(Kind.ANY, EMAIL, tooLong, 0, 0, new byte[length], 1));
        assertThrows(SealException.class, () -> session.seal(Kind.ANY, EMAIL, tooLong, 0, 0, out, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> session.seal(Kind.ANY, EMAIL, new byte[9], 1, 9, out, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> session.seal(Kind.ANY, EMAIL, new byte[9], -1, 1, out, 0));
        assertEquals(1, session.count());
    }

    @Test
    void aSessionThatCannotBeBegunSaysWhy() {
        byte[] noKey = "age1nonsense".getBytes(UTF_8);
        SealException thrown = assertThrows(SealException.class, () -> NativeCalls.begin(noKey, false, 0, 1, null, -1));
        assertTrue(thrown.getMessage().startsWith("no log session: "), thrown.getMessage());
        assertThrows(SealException.class, () -> NativeCalls.begin(noKey, true, 0, 1, null, -1));
        assertThrows(SealException.class, () -> NativeCalls.begin(new byte[] {-1}, false, 0, 1, null, -1));
        assertThrows(SealException.class, () -> begin(-1, 1));
        assertThrows(SealException.class, () -> begin(LONGEST + 1, 1));
        assertThrows(SealException.class, () -> begin(0, 0));
    }

    @Test
    void aSessionEndsAfterItsValues() throws Exception {
        Session session = begin(0, 3);
        for (int value = 0; value < 3; value++) {
            assertFalse(session.seal(Kind.ANY, EMAIL, "a").isEmpty());
        }
        assertHasEnded(session);
        assertTrue(session.close().startsWith("~s1z~" + session.id() + "~"));
        assertNull(session.close());
        assertEquals(3, session.count());
    }

    @Test
    void aDestroyedSessionHasEnded() throws Exception {
        Session session = begin(0);
        session.seal(Kind.ANY, EMAIL, "a");
        session.destroy();
        assertHasEnded(session);
        assertNull(session.close());
        assertEquals(1, session.count());
        session.destroy();
        assertTrue(session.headerLines(Shape.JSON).startsWith("{\"sealmark\":\"~s1h~" + session.id() + "~"));
    }

    private static void assertHasEnded(Session session) throws SealException {
        assertNull(session.seal(Kind.ANY, EMAIL, "a"));
        assertNull(session.seal(Kind.ANY, EMAIL, "a".repeat(200_000)));
        assertEquals(Session.ENDED, session.seal(Kind.ANY, EMAIL, new byte[9], 0, 9, new byte[200], 0));
        assertEquals(Session.ENDED, session.seal(Kind.ANY, EMAIL, new byte[200_000], 0, 200_000, new byte[300_000], 0));
    }

    /** A value that is sealed with a freed session would not open, or would end the process. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sessionsAreDestroyedWhileOthersSeal(boolean virtual) throws Exception {
        assumeTrue(!virtual || Runtime.version().feature() >= 21);
        for (int round = 0; round < 20; round++) {
            Session session = begin(round % 2 * 16);
            ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>(List.of(session.headerLines(Shape.PLAIN)));
            CountDownLatch sealing = new CountDownLatch(6);
            List<Thread> threads = new ArrayList<>();
            for (int number = 0; number < 6; number++) {
                String value = "value " + "long ".repeat(number == 5 ? 8_000 : 10 * number);
                threads.add(start(virtual, () -> sealUntilItEnds(session, value, log, sealing)));
            }
            sealing.await();
            log.add(round % 3 == 0 ? "" : session.close() + "\n");
            session.destroy();
            for (Thread thread : threads) {
                thread.join();
            }
            assertAllOpen(log, session.count(), round % 3 != 0);
        }
    }

    private static void sealUntilItEnds(Session session, String value, ConcurrentLinkedQueue<String> log,
            CountDownLatch sealing) {
        try {
            String token;
            do {
                token = session.seal(Kind.ANY, EMAIL, value);
                sealing.countDown();
                log.add(token == null ? "" : token + "\n");
            } while (token != null);
        } catch (SealException | RuntimeException error) {
            log.add(error.toString());
        }
    }

    private void assertAllOpen(Iterable<String> log, long count, boolean isClosed) {
        try (LogOpener opener = LogOpener.builder().preSharedKey(key).build()) {
            opener.open(String.join("", log).getBytes(UTF_8));
            OpenReport report = opener.report();
            assertEquals(count, report.opened());
            assertEquals(0, report.tampered());
            assertEquals(isClosed, report.isWhole() && report.sessions().values().iterator().next().closing().isPresent());
        }
    }

    private static Thread start(boolean virtual, Runnable work) throws ReflectiveOperationException {
        if (virtual) {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        }
        Thread thread = new Thread(work);
        thread.start();
        return thread;
    }

    @Test
    void aTokenIsAllThatIsAllocated() throws Exception {
        Session session = begin(0);
        String value = "https://shop.example/s?q=shoes&session=8f3a91c2xy";
        byte[] bytes = new byte[8404];
        byte[] out = new byte[12_000];
        int token = session.seal(Kind.ANY, EMAIL, value).length();
        int stringBytes = 24 + (16 + token + 7) / 8 * 8;
        assertTrue(allocatedByEach(() -> session.seal(Kind.ANY, EMAIL, value)) <= stringBytes + 1);
        assertEquals(0, allocatedByEach(() -> session.seal(Kind.ANY, EMAIL, bytes, 0, bytes.length, out, 0)));
        String text = "\"" + value + "\"";
        byte[] number = "-1.5e3".getBytes(UTF_8);
        assertTrue(allocatedByEach(() -> session.seal(Kind.JSON, EMAIL, text)) <= stringBytes + 8 + 1);
        assertEquals(0, allocatedByEach(() -> session.seal(Kind.JSON, EMAIL, number, 0, number.length, out, 0)));
    }

    private interface Sealing {
        void once() throws SealException;
    }

    private static long allocatedByEach(Sealing sealing) throws Exception {
        long before = 0;
        for (int value = 0; value < 20_000; value++) {
            before = value == 10_000 ? Allocated.byThisThread() : before;
            sealing.once();
        }
        return (Allocated.byThisThread() - before) / 10_000;
    }

    @Test
    void noPlaintextIsLeftAtASlot() throws Exception {
        Session session = begin(0);
        String secret = "the secret that is nowhere";
        session.seal(Kind.ANY, EMAIL, secret);
        session.seal(Kind.ANY, EMAIL, secret + "é");
        session.seal(Kind.ANY, EMAIL, secret.getBytes(UTF_8), 0, secret.length(), new byte[200], 0);
        session.seal(Kind.ANY, EMAIL, secret.repeat(200));
        session.seal(Kind.JSON, EMAIL, '"' + secret + '"');
        assertThrows(SealException.class, () -> session.seal(Kind.JSON, EMAIL, secret));
        Field all = NativeSlot.class.getDeclaredField("ALL");
        all.setAccessible(true);
        int used = 0;
        for (NativeSlot slot : (NativeSlot[]) all.get(null)) {
            ByteBuffer room = (ByteBuffer) field(slot, "room");
            byte[] bytes = new byte[room.capacity()];
            room.get(0, bytes);
            used += bytes.length > 0 ? 1 : 0;
            assertFalse(new String(bytes, ISO_8859_1).contains("nowhere"));
            assertFalse(new String(bytes, ISO_8859_1).replace("\0", "").contains("nowhere"));
            char[] characters = (char[]) field(slot, "value");
            assertTrue(Arrays.equals(new char[characters.length], characters));
            assertFalse(new String((byte[]) field(slot, "token"), ISO_8859_1).contains("nowhere"));
        }
        assertTrue(used > 0);
    }

    /** The arithmetic of both sides is the same, unless one is wrong. */
    @Test
    void aRoomThatTheLibraryDoesNotTakeIsWiped() throws Exception {
        byte[] secret = new String(key.secretChars()).getBytes(UTF_8);
        long session = NativeCalls.begin(secret, true, 0, 9, null, -1);
        NativeSlot slot = new NativeSlot();
        assertEquals(-3, slot.seal(session, Kind.ANY, EMAIL, "\u7e7e".repeat(400), null, 0, 0, -1_100, null, 0));
        ByteBuffer room = (ByteBuffer) field(slot, "room");
        byte[] bytes = new byte[room.capacity()];
        room.get(0, bytes);
        assertArrayEquals(new byte[room.capacity()], bytes);
        assertTrue(slot.seal(session, Kind.ANY, EMAIL, "a", null, 0, 0, 200, null, 0) > 0);
        assertTrue(slot.tokenOf(50).startsWith("~s1a~email~"));
        NativeCalls.free(session);
    }

    private static Object field(NativeSlot slot, String name) throws ReflectiveOperationException {
        Field field = NativeSlot.class.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(slot);
    }
}
