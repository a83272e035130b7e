package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Base64UrlTest {
    @Test
    void whatIsEncodedDecodes() {
        Random random = new Random(1);
        for (int length = 0; length < 70; length++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            String text = Base64Url.encode(bytes);
            assertArrayEquals(bytes, decode(text).orElseThrow());
        }
        assertEquals("-_-_", Base64Url.encode(new byte[] {(byte) 0xfb, (byte) 0xff, (byte) 0xbf}));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "A", "AAAAA", "AA==", "AAA=", "AAAA=", "+AAA", "AAA/", "A\nAA", "AAA\u00e9", "\u00c1AAA", "AAAA\u00c1A",
        "AAAAA\u0080", "AB", "AP", "AQ_", "AAB", "AAD", "AAAAAB", "AAAAAAB", "A~", "~A", "AA~", " AAA",
    })
    void otherTextIsRefused(String text) {
        assertTrue(decode(text).isEmpty());
    }

    /** The decoder accepts 64 characters in each place, and fewer where bits are left over. */
    @Test
    void aCharacterIsRefusedInEachPlaceAlike() {
        for (int length : new int[] {2, 3, 4, 6, 7, 8}) {
            for (int place = 0; place < length; place++) {
                int left = place < length - 1 ? 0 : length % 4 == 2 ? 4 : length % 4 == 3 ? 2 : 0;
                assertEquals(64 >> left, taken(length, place), length + " characters, place " + place);
            }
        }
    }

    private static int taken(int length, int place) {
        byte[] text = Identities.filled(length, 'A');
        int taken = 0;
        for (int character = 0; character < 256; character++) {
            text[place] = (byte) character;
            taken += Base64Url.decode(text, 0, length).isPresent() ? 1 : 0;
        }
        return taken;
    }

    @Test
    void decodesWithinAnArray() {
        byte[] text = "~~~QUJDREU~".getBytes(ISO_8859_1);
        assertEquals("ABCDE", new String(Base64Url.decode(text, 3, 10).orElseThrow(), ISO_8859_1));
        assertTrue(Base64Url.decode(text, 0, 5).isEmpty());
        assertEquals(0, Base64Url.decode(text, 4, 4).orElseThrow().length);
    }

    private static Optional<byte[]> decode(String text) {
        byte[] bytes = text.getBytes(ISO_8859_1);
        return Base64Url.decode(bytes, 0, bytes.length);
    }
}
