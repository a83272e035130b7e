package sealmark.log.wrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Bech32Test {
    /** Valid strings of BIP 173 whose data is whole bytes. */
    @Test
    void readsTheExamplesOfItsSpecification() {
        assertEquals("a", Bech32.decode("A12UEL5L").prefix());
        assertTrue(Bech32.decode("A12UEL5L").isUpper());
        assertEquals(0, Bech32.decode("a12uel5l").bytes().length);
        Bech32.Decoded decoded = Bech32.decode("abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw");
        assertEquals("00443214c74254b635cf84653a56d7c675be77df", HexFormat.of().formatHex(decoded.bytes()));
        assertEquals("?", Bech32.decode("?1ezyfcl").prefix());
    }

    @Test
    void whatIsEncodedDecodes() {
        Random random = new Random(1);
        for (int length = 0; length < 50; length++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            String lower = new String(Bech32.encode("some1-prefix", bytes, false));
            String upper = new String(Bech32.encode("some1-prefix", bytes, true));
            assertEquals(lower.toUpperCase(Locale.ROOT), upper);
            assertEquals("some1-prefix", Bech32.decode(upper).prefix());
            assertArrayEquals(bytes, Bech32.decode(upper).bytes());
            assertArrayEquals(bytes, Bech32.decode(lower).bytes());
        }
    }

    /** Invalid strings of BIP 173, and some with its checksum of their own faults. */
    @ParameterizedTest
    @ValueSource(strings = {
        "", "1", "a", "pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3", "A1G7SGD8", "10a06t8", "1qzzfhee",
        "a12UEL5L", "A12uel5l", "a12uel5m", "a12uel5", " a12uel5l", "a12uel5l\n", "\u007f1axkwrx", "a\u0131" + "2uel5l",
    })
    void otherTextIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> Bech32.decode(text));
    }

    @Test
    void paddingIsShortAndZero() {
        assertThrows(IllegalArgumentException.class, () -> Bech32.decode(symbols("q")));
        assertThrows(IllegalArgumentException.class, () -> Bech32.decode(symbols("qp")));
        assertThrows(IllegalArgumentException.class, () -> Bech32.decode(symbols("qqq")));
        assertEquals(1, Bech32.decode(symbols("qq")).bytes().length);
    }

    @Test
    void longTextIsRefusedUnread() {
        String text = "a1" + "q".repeat(5000);
        assertEquals("too long", assertThrows(IllegalArgumentException.class, () -> Bech32.decode(text)).getMessage());
    }

    /** Some symbols with the checksum that fits them. */
    private static String symbols(String data) {
        String alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
        int state = 1;
        for (int value : new int[] {'a' >> 5, 0, 'a' & 31}) {
            state = step(state, value);
        }
        for (int i = 0; i < data.length(); i++) {
            state = step(state, alphabet.indexOf(data.charAt(i)));
        }
        for (int i = 0; i < 6; i++) {
            state = step(state, 0);
        }
        StringBuilder text = new StringBuilder("a1" + data);
        for (int i = 5; i >= 0; i--) {
            text.append(alphabet.charAt(((state ^ 1) >> (5 * i)) & 31));
        }
        return text.toString();
    }

    private static int step(int state, int value) {
        int[] generator = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3};
        int next = ((state & 0x1ffffff) << 5) ^ value;
        for (int i = 0; i < 5; i++) {
            next ^= ((state >> (25 + i)) & 1) * generator[i];
        }
        return next;
    }
}
