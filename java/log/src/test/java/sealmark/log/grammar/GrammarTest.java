package sealmark.log.grammar;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GrammarTest {
    private static final String ID = "AbCdEfGh-_012345";
    private static final String DIGEST = "0123456789-_";
    private static final String TOKEN = "~s1a~l~" + ID + "~" + "B".repeat(27) + "~";

    @ParameterizedTest
    @CsvSource({"0,26,false", "1,26,false", "1,27,true", "64,27,true", "65,27,false", "64,1398128,true",
        "1,1398129,false"})
    void labelsAndBodiesHaveTheirBounds(int label, int body, boolean isToken) {
        String text = "~s1p~" + "l".repeat(label) + "~" + ID + "~" + "B".repeat(body) + "~";
        assertEquals(isToken ? List.of(text) : List.of(), found(text));
    }

    @ParameterizedTest
    @CsvSource({"31,false", "32,true", "715,true", "716,false"})
    void soDoClosingTokens(int body, boolean isClosing) {
        String text = "~s1z~" + ID + "~" + "B".repeat(body) + "~";
        assertEquals(isClosing ? List.of(text) : List.of(), found(text));
    }

    @ParameterizedTest
    @CsvSource({"1.1,1,true", "1.1,860,true", "1.1,861,false", "65535.65535,852,true", "65535.65535,853,false",
        "1.1,0,false", "2.1,9,false", "0.1,9,false", "01.1,9,false", "1.01,9,false", "1.65536,9,false", "1..2,9,false",
        ".1,9,false", "1.,9,false", "1,9,false", "+1.1,9,false", "1.1.1,9,false", "65536.65536,9,false", "9.10,9,true"})
    void soDoParts(String numbers, int body, boolean isPart) {
        String text = "~s1h~" + ID + "~" + DIGEST + "~" + numbers + "~" + "B".repeat(body) + "~";
        assertEquals(isPart ? List.of(text) : List.of(), found(text));
    }

    @Test
    void partsTellTheirNumbers() {
        Found.Part part = (Found.Part) next("x~s1h~" + ID + "~" + DIGEST + "~12.345~AAAA~");
        assertEquals(List.of(ID, DIGEST, 12, 345, 1),
                List.of(part.session, part.digest, part.number, part.of, part.start));
        assertEquals(3, part.body().orElseThrow().length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "p", "j", "q"})
    void tokensTellTheirSuite(String suite) {
        Found.Token token = (Found.Token) next(TOKEN.replace("s1a", "s1" + suite));
        assertEquals("pq".contains(suite), token.isPadded);
        assertEquals("jq".contains(suite), token.isJson);
        assertEquals(TOKEN.length() - 28, token.headLength());
    }

    @ParameterizedTest
    @ValueSource(strings = {"~s1x~l~", "~s1b~", "~s1A~", "~s2a~", "~S1a~", "~s1aa~", "~s1", "~", "~~~~~~~~~~", "~s1a~"})
    void allElseIsOrdinaryTextAndTheSearchGoesOn(String before) {
        assertEquals(List.of(TOKEN), found(before + TOKEN));
        assertEquals(List.of(TOKEN), found(before + " " + TOKEN + before));
    }

    @Test
    void aTildeIsOfOneTokenOnly() {
        assertEquals(List.of(TOKEN), found(TOKEN + TOKEN.substring(1)));
        assertEquals(List.of(TOKEN, TOKEN), found(TOKEN + TOKEN));
        assertEquals(List.of(TOKEN), found(TOKEN.substring(0, TOKEN.length() - 1) + TOKEN));
    }

    @Test
    void whatIsCutOffIsNoToken() {
        for (int length = 0; length < TOKEN.length(); length++) {
            assertNull(next(TOKEN.substring(0, length)));
            assertNull(next(TOKEN.substring(length + (length == 0 ? 1 : 0))));
        }
        byte[] text = (TOKEN + TOKEN).getBytes(ISO_8859_1);
        assertNull(whole(new Grammar(text, 1, text.length - 1)));
    }

    @Test
    void aTokenIsCutOffWhereItsSessionCanBeRead() {
        int session = TOKEN.lastIndexOf('~', TOKEN.length() - 2) + 1;
        for (int length = 0; length < TOKEN.length(); length++) {
            Found found = new Grammar(TOKEN.getBytes(ISO_8859_1), 0, length).next();
            assertEquals(length >= session, found instanceof Found.CutOff, TOKEN.substring(0, length));
        }
    }

    private static Found next(String text) {
        return whole(new Grammar(text.getBytes(ISO_8859_1), 0, text.length()));
    }

    /** The next that is not cut off. */
    private static Found whole(Grammar grammar) {
        Found found = grammar.next();
        while (found instanceof Found.CutOff) {
            found = grammar.next();
        }
        return found;
    }

    private static List<String> found(String text) {
        Grammar grammar = new Grammar(text.getBytes(ISO_8859_1), 0, text.length());
        List<String> all = new ArrayList<>();
        for (Found found = whole(grammar); found != null; found = whole(grammar)) {
            all.add(text.substring(found.start, found.end));
        }
        return all;
    }
}
