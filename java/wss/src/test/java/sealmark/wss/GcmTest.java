package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Our hash against its definition, and both against the JDK's cipher in {@link GcmStreamTest}. */
final class GcmTest {
    private static final BigInteger POLYNOMIAL = BigInteger.ONE.shiftLeft(128).or(BigInteger.valueOf(0x87));

    @Test
    void theHashIsTheOneOfTheStandard() {
        for (int seed = 0; seed < 100; seed++) {
            byte[] key = Payloads.random(seed, 16);
            byte[] text = Payloads.random(seed + 1000, seed * 5);
            Ghash hash = new Ghash(key);
            hash.update(text, text.length);
            assertArrayEquals(byDefinition(key, text),
                    ByteBuffer.allocate(16).putLong(hash.high()).putLong(hash.low()).array(), "" + seed);
        }
    }

    /** Carries would show with keys and texts that have all bits. */
    @Test
    void allBitsMakeNoCarry() {
        byte[] ones = ByteBuffer.allocate(160).putLong(-1).putLong(-1).putLong(-1).putLong(-1).putLong(-1).putLong(-1)
                .putLong(-1).putLong(-1).putLong(-1).putLong(-1).array();
        Ghash hash = new Ghash(Arrays.copyOf(ones, 16));
        hash.update(ones, 80);
        assertArrayEquals(byDefinition(Arrays.copyOf(ones, 16), Arrays.copyOf(ones, 80)),
                ByteBuffer.allocate(16).putLong(hash.high()).putLong(hash.low()).array());
    }

    @Test
    void aWipedHashKeepsNothing() {
        Ghash hash = new Ghash(Payloads.random(1, 16));
        hash.wipe();
        byte[] text = Payloads.random(2, 64);
        hash.update(text, 64);
        assertEquals(0, hash.high() | hash.low(), "its key is zero");
    }

    private static byte[] byDefinition(byte[] key, byte[] text) {
        BigInteger factor = reversed(key, 0);
        BigInteger state = BigInteger.ZERO;
        for (int at = 0; at < text.length; at += 16) {
            state = product(state.xor(reversed(Arrays.copyOfRange(text, at, at + 16), 0)), factor);
        }
        byte[] block = new byte[16];
        for (int bit = 0; bit < 128; bit++) {
            if (state.testBit(bit)) {
                block[bit / 8] |= (byte) (0x80 >> bit % 8);
            }
        }
        return block;
    }

    /** The first bit of a block is the coefficient of 1. */
    private static BigInteger reversed(byte[] block, int at) {
        BigInteger bits = BigInteger.ZERO;
        for (int bit = 0; bit < 128; bit++) {
            if ((block[at + bit / 8] & 0x80 >> bit % 8) != 0) {
                bits = bits.setBit(bit);
            }
        }
        return bits;
    }

    private static BigInteger product(BigInteger a, BigInteger b) {
        BigInteger sum = BigInteger.ZERO;
        for (int bit = 0; bit < 128; bit++) {
            if (b.testBit(bit)) {
                sum = sum.xor(a.shiftLeft(bit));
            }
        }
        for (int bit = sum.bitLength() - 1; bit >= 128; bit--) {
            if (sum.testBit(bit)) {
                sum = sum.xor(POLYNOMIAL.shiftLeft(bit - 128));
            }
        }
        return sum;
    }
}
