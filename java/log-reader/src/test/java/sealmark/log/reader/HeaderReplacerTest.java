package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HeaderReplacerTest {
    private static final String ONE = "AAAAAAAAAAAAAAAA";
    private static final String TWO = "BBBBBBBBBBBBBBBB";
    private static final byte[] NEW = {1, 2, 3};
    private static final String PART = new String(HeaderCollector.lines(ONE, NEW), ISO_8859_1).strip();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final HeaderReplacer replacer = new HeaderReplacer(
            session -> session.equals(ONE) ? Optional.of(NEW) : Optional.empty(), out);

    @Test
    void anOldHeaderBecomesTheNewOneInItsShape() throws IOException {
        assertEquals("before\r\n" + PART + "\nafter\n", copied("before\r\n" + old(1, 2) + "\n" + old(2, 2) + "\nafter\n"));
    }

    @Test
    void aJsonLogKeepsItsShape() throws IOException {
        assertEquals(json(PART) + "\n{}", copied(json(old(2, 2)) + "\r\n" + json(old(1, 2)) + "\n{}"));
    }

    @Test
    void aTokenWithoutAHeaderGetsOneInFrontOfItsLine() throws IOException {
        String line = "user=" + token(ONE) + " ";
        assertEquals("a\n" + PART + "\n" + line + "\n" + line, copied("a\n" + line + "\n" + line));
        assertEquals(0, replacer.left());
    }

    @Test
    void aSessionWithoutANewHeaderStaysAndIsCounted() throws IOException {
        String log = old(1, 1).replace(ONE, TWO) + "\n" + token(TWO) + "\nx " + old(1, 1) + "\n";
        assertEquals(log, copied(log));
        assertEquals(1, replacer.left());
        assertEquals(1, replacer.within(), "a part inside a longer line stays");
    }

    private String copied(String log) throws IOException {
        byte[] text = log.getBytes(ISO_8859_1);
        replacer.lines(text, 0, text.length);
        return out.toString(ISO_8859_1);
    }

    private static String old(int number, int of) {
        return "~s1h~" + ONE + "~CCCCCCCCCCCC~" + number + "." + of + "~" + "D".repeat(40) + "~";
    }

    private static String token(String session) {
        return "~s1a~user~" + session + "~" + "E".repeat(27) + "~";
    }

    private static String json(String own) {
        return "{\"sealmark\":\"" + own + "\"}";
    }
}
