package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SealedTextTest {
    private static final String ONE = "AAAAAAAAAAAAAAAA";
    private static final String TWO = "BBBBBBBBBBBBBBBB";
    private static final String TOKEN = "~s1p~user.name~" + ONE + "~" + "C".repeat(27) + "~";

    @Test
    void aTokenIsFoundAnywhere() {
        assertTrue(isSealed("a=" + TOKEN + " b"));
        for (String other : List.of("", "~s1", TOKEN.substring(0, TOKEN.length() - 1), "~s1x~user~", closing(ONE))) {
            assertFalse(isSealed(other), other);
        }
    }

    @Test
    void textWithoutATokenIsToldAtOnce() {
        for (String other : List.of("", "~s1", "user.name", "~s2a~user~" + ONE)) {
            assertFalse(SealedText.mayBeSealed(bytes(other), 0, other.length()), other);
        }
    }

    @Test
    void onlyAWholeTokenHasALabel() {
        assertEquals(Optional.of("user.name"), label(TOKEN));
        for (String other : List.of("", " " + TOKEN, TOKEN + "~", closing(ONE), "user.name")) {
            assertEquals(Optional.empty(), label(other), other);
        }
    }

    @Test
    void sessionsAreThoseOfTokensAndClosingTokens() {
        String part = "~s1h~" + TWO + "~AAAAAAAAAAAA~1.1~AAAA~";
        byte[] text = bytes(part + "\na=" + TOKEN + TOKEN + "\n" + closing(TWO) + "\n~s1a~cut~" + TWO.substring(1));
        List<String> sessions = new ArrayList<>();
        SealedText.sessions(text, 0, text.length, sessions::add);
        assertEquals(List.of(ONE, TWO), sessions);
        // A text that ends anywhere within a token has no more than the whole one.
        for (int to = 0; to <= text.length; to++) {
            List<String> some = new ArrayList<>();
            SealedText.sessions(text, 0, to, some::add);
            assertEquals(sessions.subList(0, some.size()), some);
        }
    }

    /** In the middle of an array, where other text is around it. */
    private static boolean isSealed(String text) {
        byte[] around = bytes("~" + text + "~");
        boolean mayBe = SealedText.mayBeSealed(around, 1, around.length - 1);
        boolean isSealed = SealedText.isSealed(around, 1, around.length - 1);
        assertTrue(mayBe || !isSealed, text);
        return isSealed;
    }

    private static Optional<String> label(String text) {
        byte[] around = bytes("~" + text + "~");
        return SealedText.label(around, 1, around.length - 1);
    }

    private static String closing(String session) {
        return "~s1z~" + session + "~" + "C".repeat(32) + "~";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }
}
