package sealmark.log.read;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The bounds of spec/record.md, "In the log". */
class CollectorTest {
    private static final String LONG = "A".repeat(864);
    private static final List<String> TEXTS = List.of("AAAA", "AAAB", "AAAC", "AAAD", "AAAE");

    private final Collector collector = new Collector();

    @Test
    void partsMakeAHeaderInAnyOrder() {
        assertEquals(0, add(1, 3, 3, "AAAD"));
        assertEquals(0, add(1, 1, 3, "AAAB"));
        List<byte[]> headers = collector.add(part(1, 2, 3, "AAAC"));
        assertEquals(1, headers.size());
        assertArrayEquals(new byte[] {0, 0, 1, 0, 0, 2, 0, 0, 3}, headers.get(0));
    }

    @Test
    void aPartThatIsNoBase64HoldsNothing() {
        assertEquals(0, add(1, 1, 1, "A"));
        assertEquals(0, add(1, 1, 1, "AB"));
        assertEquals(List.of(0, 0L), List.of(collector.sessions(), collector.bytes()));
        assertEquals(1, add(1, 1, 1, "AA"));
    }

    @Test
    void ofTooManySessionsTheOldestAreForgotten() {
        for (int session = 0; session <= Collector.MOST_SESSIONS; session++) {
            assertEquals(0, add(session, 1, 2, "AAAA"));
        }
        assertEquals(1, add(1, 2, 2, "AAAA"));
        assertEquals(0, add(0, 2, 2, "AAAA"));
        assertEquals(Collector.MOST_SESSIONS, collector.sessions());
    }

    @Test
    void ofTooManyBytesTheOldestSessionsAreForgotten() {
        for (int session = 0; session < 50; session++) {
            for (int number = 1; number <= 3000; number++) {
                add(session, number, 3001, LONG);
                assertTrue(collector.bytes() <= Collector.MOST_BYTES);
            }
        }
        assertTrue(collector.sessions() < 50);
        assertEquals(0, add(49, 3001, 3001, "AAAA"), "a header of 1.9 MB was put together");
        for (int session = 0; session < 50; session++) {
            collector.forget(id(session));
        }
        assertEquals(List.of(0, 0L), List.of(collector.sessions(), collector.bytes()));
    }

    @Test
    void aSessionAloneDoesNotOutgrowTheBound() {
        for (int of = 60_000; of < 60_040; of++) {
            for (int number = 1; number <= 3000; number++) {
                add(7, number, of, LONG);
                assertTrue(collector.bytes() <= Collector.MOST_BYTES);
            }
        }
    }

    @Test
    void longHeadersOfOneSessionAreNotPutTogetherAgainAndAgain() {
        int tried = 0;
        for (String text : List.of(LONG, "B" + LONG.substring(1), "C" + LONG.substring(1), "D" + LONG.substring(1))) {
            for (int number = 1; number <= 200; number++) {
                tried += add(1, number, 200, text);
            }
        }
        assertTrue(tried >= 2 && tried <= 8, tried + " headers of 130 kB");
    }

    @Test
    void ofOnePartFourTextsAreKept() {
        assertTrue(TEXTS.stream().allMatch(text -> add(1, 1, 2, text) == 0));
        assertEquals(4, add(1, 2, 2, "AAAA"));
        assertEquals(0, add(1, 2, 2, "AAAA"), "again the same");
    }

    @Test
    void fewWaysToPutPartsTogetherAreAllTried() {
        TEXTS.forEach(text -> assertEquals(0, add(1, 1, 3, text)));
        TEXTS.forEach(text -> assertEquals(0, add(1, 2, 3, text)));
        List<byte[]> headers = collector.add(part(1, 3, 3, "AAAA"));
        assertEquals(16, headers.size());
        assertEquals(16, headers.stream().map(header -> new String(header, ISO_8859_1)).distinct().count());
        assertArrayEquals(new byte[] {0, 0, 3, 0, 0, 3, 0, 0, 0}, headers.get(0), "the newest first");
        assertEquals(16, add(1, 3, 3, "AAAB"), "with the new text of part 3 only");
    }

    @Test
    void ofManyWaysThatOfTheNewestTextsIsTried() {
        for (int number = 1; number <= 9; number++) {
            int tried = add(2, number, 9, "AAAA") + add(2, number, 9, "AAAB");
            assertEquals(number == 9 ? 2 : 0, tried);
        }
        for (int number = 9; number >= 1; number--) {
            assertEquals(number == 9 || number == 1 ? 1 : 0, add(2, number, 9, "AAAC"), "part " + number);
        }
    }

    @Test
    void manySmallPartsOfManyTextsAreNoMoreWorkThanOthers() {
        int tried = 0;
        for (String text : List.of("AA", "Ag", "Aw", "BA")) {
            for (int number = 1; number <= 65_535; number++) {
                tried += add(1, number, 65_535, text);
            }
        }
        assertTrue(tried >= 2 && tried <= 17, tried + " headers of 64 kB");
    }

    private int add(int session, int number, int of, String body) {
        return collector.add(part(session, number, of, body)).size();
    }

    private static Found.Part part(int session, int number, int of, String body) {
        String text = "~s1h~" + id(session) + "~" + number + "." + of + "~" + body + "~";
        return (Found.Part) new Grammar(text.getBytes(ISO_8859_1), 0, text.length()).next();
    }

    private static String id(int session) {
        return String.format("%016d", session);
    }
}
