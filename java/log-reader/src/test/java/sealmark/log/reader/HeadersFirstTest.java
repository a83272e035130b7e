package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.SequenceInputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class HeadersFirstTest {
    private static final String ID = "AAAAAAAAAAAAAAAA";
    private static final String OTHER = "BBBBBBBBBBBBBBBB";
    private static final String TOKEN = "~s1a~email~" + ID + "~" + "C".repeat(40) + "~";

    private final Set<String> sessions = new HashSet<>();
    private final StringBuilder learned = new StringBuilder();

    private static String part(String id, int number) {
        return "~s1h~" + id + "~DDDDDDDDDDDD~" + number + ".2~EEEE~";
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1000})
    void aLogThatLacksNothingIsGivenAsItIs(int atATime) throws IOException {
        String log = "before " + part(ID, 1) + "\n\n" + part(ID, 2) + "\n" + TOKEN + "\r\nend ~s1a~ ~s1a~email~" + OTHER;
        assertEquals(log, read(new HeadersFirst(slowly(log, atATime), sessions::contains, this::learn)));
        assertEquals("", read(new HeadersFirst(slowly("", atATime), sessions::contains, this::learn)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1000})
    void headersAreLearnedBeforeTheTokensThatWaitForThem(int atATime) throws IOException {
        String log = "x\n" + TOKEN + "\nuser=" + TOKEN + "\nin " + part(ID, 2) + " text\n" + part(OTHER, 1) + "\n"
                + part(ID, 1) + "\nend";
        HeadersFirst in = new HeadersFirst(slowly(log, atATime), sessions::contains, this::learn);
        assertEquals("x\n", new String(in.readNBytes(2), ISO_8859_1));
        assertEquals('~', in.read());
        assertTrue(sessions.contains(ID), learned.toString());
        // Nothing is added, or each line after it would have another number.
        assertEquals(log.substring(3), read(in));
    }

    @Test
    void linesThatWaitedTooLongAreGivenAllAtOnce() throws IOException {
        String log = IntStream.range(0, 6).mapToObj(i -> TOKEN.replace(ID, "AAAAAAAAAAAAAAA" + i) + "\n").collect(joining());
        long began = System.nanoTime();
        assertEquals(log, read(new HeadersFirst(slowly(log, TOKEN.length() + 1), sessions::contains, this::learn)));
        assertTrue(System.nanoTime() - began < 2_500_000_000L, "each of them waited");
    }

    @Test
    void aStreamThatIsSilentGetsItsLines() throws IOException {
        PipedOutputStream out = new PipedOutputStream();
        HeadersFirst in = new HeadersFirst(new PipedInputStream(out), sessions::contains, this::learn);
        out.write((TOKEN + "\nb\n").getBytes(ISO_8859_1));
        long began = System.nanoTime();
        byte[] some = new byte[1000];
        assertEquals(TOKEN + "\nb\n", new String(some, 0, in.read(some), ISO_8859_1));
        assertTrue(System.nanoTime() - began > 900_000_000L, "it did not wait");
        // Nothing waits for that session again.
        out.write((TOKEN + "\n").getBytes(ISO_8859_1));
        // Otherwise a pipe looks for text once a second.
        out.flush();
        began = System.nanoTime();
        assertEquals(TOKEN + "\n", new String(some, 0, in.read(some), ISO_8859_1));
        assertTrue(System.nanoTime() - began < 900_000_000L, "it waited again");
        out.close();
        assertEquals(-1, in.read());
    }

    @Test
    void aStreamIsSilentAlsoIfItNeverTellsWhatIsAvailable() throws IOException {
        PipedOutputStream out = new PipedOutputStream();
        HeadersFirst in = new HeadersFirst(new FilterInputStream(new PipedInputStream(out)) {
            @Override
            public int available() {
                return 0;
            }
        }, sessions::contains, this::learn);
        out.write((TOKEN + "\nb\n").getBytes(ISO_8859_1));
        byte[] some = new byte[1000];
        assertEquals(TOKEN + "\nb\n", new String(some, 0, in.read(some), ISO_8859_1));
        out.write("c\n".getBytes(ISO_8859_1));
        assertEquals("c\n", new String(some, 0, in.read(some), ISO_8859_1));
        in.close();
    }

    @Test
    void aStreamThatHasEndedIsNotWaitedFor() throws IOException {
        String log = TOKEN + "\n";
        long began = System.nanoTime();
        for (int time = 0; time < 3; time++) {
            HeadersFirst in = new HeadersFirst(new FilterInputStream(slowly(log, 7)) {}, sessions::contains, this::learn);
            assertEquals(log, read(in));
            in.close();
        }
        assertTrue(System.nanoTime() - began < 900_000_000L, "it waited");
    }

    @Test
    void whatFailsWhileLinesWaitIsTold() throws IOException {
        for (Throwable why : List.of(new IOException("gone"), new IllegalStateException("gone"))) {
            HeadersFirst in = new HeadersFirst(new SequenceInputStream(slowly(TOKEN + "\n", 1000), new FilterInputStream(slowly("", 1)) {
                @Override
                public int read(byte[] into, int offset, int length) throws IOException {
                    if (why instanceof IOException error) {
                        throw error;
                    }
                    throw (RuntimeException) why;
                }
            }), sessions::contains, this::learn);
            assertEquals(why, assertThrows(why.getClass(), in::read));
            in.close();
        }
    }

    @Test
    void headersOfAStreamThatNeverTellsWhatIsAvailableAreLearned() throws IOException {
        String log = TOKEN + "\n" + part(ID, 1) + "\n" + part(ID, 2) + "\n";
        for (boolean fails : new boolean[] {false, true}) {
            sessions.clear();
            learned.setLength(0);
            InputStream slow = new FilterInputStream(slowly(log, TOKEN.length() + 1)) {
                @Override
                public int available() throws IOException {
                    if (fails) {
                        throw new IOException("this device cannot tell");
                    }
                    return 0;
                }
            };
            assertEquals('~', new HeadersFirst(slow, sessions::contains, this::learn).read());
            assertTrue(sessions.contains(ID), "it did not wait for the header");
        }
    }

    @Test
    void nothingWaitsForMoreThanThereIsRoomFor() throws IOException {
        int[] given = new int[1];
        String log = TOKEN + "\n" + "some text\n".repeat(100_000) + part(ID, 1) + "\n" + part(ID, 2) + "\n";
        HeadersFirst in = new HeadersFirst(new ByteArrayInputStream(log.getBytes(ISO_8859_1)) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                int read = super.read(into, offset, Math.min(length, 1000));
                given[0] += Math.max(0, read);
                return read;
            }
        }, sessions::contains, this::learn, 50_000);
        assertEquals('~', in.read());
        assertTrue(given[0] > 50_000 && given[0] < 60_000, given[0] + " bytes");
        assertEquals(log.substring(1), read(in));
    }

    @Test
    void aLineThatIsTooLongDoesNotWaitToBeWhole() throws IOException {
        String log = "x".repeat(200_000) + TOKEN + "\n" + TOKEN + "\n" + part(ID, 1) + "\n";
        HeadersFirst in = new HeadersFirst(slowly(log, 1000), sessions::contains, this::learn, 50_000);
        assertEquals(log, read(in));
    }

    private void learn(byte[] lines) {
        learned.append(new String(lines, ISO_8859_1));
        addWhole(learned);
    }

    private void addWhole(StringBuilder text) {
        for (String id : new String[] {ID, OTHER}) {
            if (text.indexOf(part(id, 1)) >= 0 && text.indexOf(part(id, 2)) >= 0) {
                sessions.add(id);
            }
        }
    }

    /** Reads to the end, and learns headers as a reader does. */
    private String read(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        byte[] some = new byte[100];
        for (int read = in.read(some); read >= 0; read = in.read(some)) {
            text.append(new String(some, 0, read, ISO_8859_1));
            addWhole(text);
        }
        return text.toString();
    }

    private static InputStream slowly(String text, int atATime) {
        return new ByteArrayInputStream(text.getBytes(ISO_8859_1)) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, atATime));
            }
        };
    }
}
