package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;
import sealmark.log.wrap.Base64Url;
import sealmark.log.wrap.HeaderParts;

/** The bounds of spec/record.md, "In the log". */
class CollectorTest {
    private static final String LONG = "A".repeat(852);
    private static final String OTHER = "0123456789-_";

    private final Collector collector = new Collector();

    @Test
    void partsMakeAHeaderInAnyOrder() {
        byte[] header = {0, 0, 1, 0, 0, 2, 0, 0, 3};
        String digest = HeaderParts.digest(header);
        assertEquals(0, add(1, 3, 3, "AAAD", digest));
        assertEquals(0, add(1, 1, 3, "AAAB", digest));
        assertEquals(0, add(1, 1, 3, "AAAB", digest), "again");
        assertArrayEquals(header, collector.add(part(1, 2, 3, "AAAC", digest)).orElseThrow());
        assertEquals(0, add(1, 2, 3, "AAAC", digest), "a header that was tried");
        assertEquals(0L, collector.bytes());
    }

    @Test
    void aPartThatIsNoBase64HoldsNothing() {
        assertEquals(0, add(1, 1, 1, "A"));
        assertEquals(0, add(1, 1, 1, "AB"));
        assertEquals(List.of(0, 0L), List.of(collector.sessions(), collector.bytes()));
        assertEquals(1, add(1, 1, 1, "AA"));
    }

    /** A false part costs one copy of the header: its first text is kept until the whole has another digest. */
    @Test
    void partsOfAnotherDigestThanTheWholeAreForgotten() {
        byte[] header = {0, 0, 1, 0, 0, 2};
        String digest = HeaderParts.digest(header);
        assertEquals(0, add(1, 1, 2, "AAAA", digest));
        assertEquals(0, add(1, 1, 2, "AAAB", digest));
        assertEquals(0, add(1, 2, 2, "AAAC", digest));
        assertEquals(0L, collector.bytes());
        assertEquals(0, add(1, 1, 2, "AAAB", digest));
        assertEquals(1, add(1, 2, 2, "AAAC", digest));
    }

    @Test
    void falseHeadersInFrontOfTheTrueOneCloseNoSessionAndARepeatedOneIsNotTriedAgain() {
        List<String> texts = List.of("AAAA", "AAAA", "AAAB", "AAAB", "AAAA");
        assertEquals(List.of(1, 0, 1, 0, 0), texts.stream().map(text -> add(1, 1, 1, text)).toList());
        for (int header = 0; header < 64; header++) {
            assertEquals(1, add(1, 1, 1, "BB" + (char) ('A' + header % 26) + (char) ('A' + header / 26)));
        }
        assertEquals(1, add(1, 1, 1, "AAAA"), "16 are remembered");
    }

    @Test
    void ofTooManySessionsTheOldestAreForgotten() {
        String twice = HeaderParts.digest(new byte[6]);
        for (int session = 0; session <= Collector.MOST_SESSIONS; session++) {
            assertEquals(0, add(session, 1, 2, "AAAA", twice));
        }
        assertEquals(1, add(1, 2, 2, "AAAA", twice));
        assertEquals(0, add(0, 2, 2, "AAAA", twice));
        assertEquals(Collector.MOST_SESSIONS, collector.sessions());
    }

    @Test
    void ofTooManyBytesTheOldestSessionsAreForgotten() {
        for (int session = 0; session < 50; session++) {
            for (int number = 1; number <= 3000; number++) {
                add(session, number, 3001, LONG, OTHER);
                assertTrue(collector.bytes() <= Collector.MOST_BYTES);
            }
        }
        assertTrue(collector.sessions() < 50);
        assertEquals(0, add(49, 3001, 3001, "AAAA", OTHER), "a header of 1.9 MB was put together");
        for (int session = 0; session < 50; session++) {
            collector.forget(id(session));
        }
        assertEquals(List.of(0, 0L), List.of(collector.sessions(), collector.bytes()));
    }

    @Test
    void aSessionAloneDoesNotOutgrowTheBound() {
        for (int of = 60_000; of < 60_040; of++) {
            for (int number = 1; number <= 3000; number++) {
                add(7, number, of, LONG, OTHER);
                assertTrue(collector.bytes() <= Collector.MOST_BYTES);
            }
        }
    }

    /** The part of a header that has no other. */
    private int add(int session, int number, int of, String body) {
        byte[] bytes = body.getBytes(ISO_8859_1);
        byte[] header = Base64Url.decode(bytes, 0, bytes.length).orElse(new byte[0]);
        return add(session, number, of, body, HeaderParts.digest(header));
    }

    private int add(int session, int number, int of, String body, String digest) {
        return collector.add(part(session, number, of, body, digest)).isPresent() ? 1 : 0;
    }

    private static Found.Part part(int session, int number, int of, String body, String digest) {
        String text = "~s1h~" + id(session) + "~" + digest + "~" + number + "." + of + "~" + body + "~";
        return (Found.Part) new Grammar(text.getBytes(ISO_8859_1), 0, text.length()).next();
    }

    private static String id(int session) {
        return String.format("%016d", session);
    }
}
