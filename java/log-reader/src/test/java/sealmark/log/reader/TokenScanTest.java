package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only tokens are found: the session of any other text would be named as one whose header is missing. */
class TokenScanTest {
    private static final String ONE = "AAAAAAAAAAAAAAAA";
    private static final String TWO = "BBBBBBBBBBBBBBBB";
    private static final String BODY = "C".repeat(27) + "~";

    @ParameterizedTest
    @ValueSource(strings = {
        "~s1a~a label~" + ONE + "~CCCCCCCCCCCCCCCCCCCCCCCCCCC~",
        "~s1a~~" + ONE + "~CCCCCCCCCCCCCCCCCCCCCCCCCCC~",
        "~s1a~v~no session here.~CCCCCCCCCCCCCCCCCCCCCCCCCCC~",
        "~s1a~v~" + ONE + "~",
        "~s1a~v~" + ONE + "~too short~",
        "~s1a~v~" + ONE + "~CCCCCCCCCCCCCCCCCCCCCCCCCCC",
        "~s1x~v~" + ONE + "~CCCCCCCCCCCCCCCCCCCCCCCCCCC~",
        "~s1z~" + ONE + "~CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC~",
    })
    void otherTextIsNoToken(String other) {
        assertEquals(List.of(), sessions(other + "\n"));
        assertEquals(List.of(TWO), sessions(other + "\n" + token(TWO)));
    }

    @Test
    void textBehindTheEndIsNotLookedAt() {
        byte[] text = ("x" + token(ONE)).getBytes(ISO_8859_1);
        for (int to = 0; to < text.length; to++) {
            assertEquals(to, new TokenScan(ONE::equals).first(text, 0, to, any -> true), to + " bytes");
        }
        assertEquals(1, new TokenScan(ONE::equals).first(text, 0, text.length, any -> true));
    }

    @Test
    void tokensOfTheSessionThatWasMetArePassedOver() {
        List<String> asked = new ArrayList<>();
        byte[] text = (token(ONE) + token(ONE) + token(TWO) + token(ONE) + token(TWO)).getBytes(ISO_8859_1);
        new TokenScan(ONE::equals).first(text, 0, text.length, session -> {
            asked.add(session);
            return false;
        });
        assertEquals(List.of(ONE, TWO, TWO), asked);
    }

    private static List<String> sessions(String text) {
        List<String> sessions = new ArrayList<>();
        byte[] bytes = text.getBytes(ISO_8859_1);
        new TokenScan(any -> false).first(bytes, 0, bytes.length, session -> {
            sessions.add(session);
            return false;
        });
        return sessions;
    }

    private static String token(String session) {
        return "~s1a~v~" + session + "~" + BODY;
    }
}
