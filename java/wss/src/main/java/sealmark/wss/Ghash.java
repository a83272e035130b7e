package sealmark.wss;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * GHASH (NIST SP 800-38D, section 6.4) by multiplication of integers, without tables, so that no address and no branch depends
 * on a secret. The multiplication of x86-64 and AArch64 servers takes equal time for all operands.
 *
 * <p>A product of polynomials is a product of integers without carries. Operands are split into four classes of every fourth
 * bit: at most 16 bits meet in one place of a product, so a carry ends in the three empty places above it, which a mask then
 * clears. The idea is Thomas Pornin's, for BearSSL. Four blocks at a time share masks and one reduction.
 */
final class Ghash {
    private static final int BLOCK = 16;
    /** Blocks that are multiplied at a time, by falling powers of the key. */
    private static final int BLOCKS = 4;
    private static final int CLASSES = 4;

    private static final long CLASS_0 = 0x1111111111111111L;
    private static final long CLASS_1 = CLASS_0 << 1;
    private static final long CLASS_2 = CLASS_0 << 2;
    private static final long CLASS_3 = CLASS_0 << 3;

    /** The lower and upper half of a block, their sum (Karatsuba), and all three with their bits reversed. */
    private static final int PARTS = 6;
    private static final int LOW = 0;
    private static final int HIGH = 1;
    private static final int SUM = 2;
    private static final int REVERSED = 3;

    /** For each part, for each power of the key, its four classes. */
    private final long[] keys = new long[PARTS * BLOCKS * CLASSES];
    /** For each part, that part of each block. */
    private final long[] blocks = new long[PARTS * BLOCKS];
    private final byte[] last = new byte[BLOCK];
    private long high;
    private long low;

    Ghash(byte[] key) {
        ByteBuffer halves = ByteBuffer.wrap(key);
        long keyHigh = halves.getLong(0);
        long keyLow = halves.getLong(8);
        setPower(BLOCKS - 1, keyHigh, keyLow);
        for (int power = BLOCKS - 2; power >= 0; power--) {
            // The next power is the product of the power before it and the key, which only the last place has by now.
            setState(highOf(power + 1, keyHigh), lowOf(power + 1, keyLow));
            absorb(BLOCKS - 1);
            setPower(power, high, low);
        }
        setState(0, 0);
    }

    private long highOf(int power, long first) {
        return power == BLOCKS - 1 ? first : high;
    }

    private long lowOf(int power, long first) {
        return power == BLOCKS - 1 ? first : low;
    }

    private void setPower(int power, long powerHigh, long powerLow) {
        setPart(LOW, power, powerLow);
        setPart(HIGH, power, powerHigh);
        setPart(SUM, power, powerLow ^ powerHigh);
    }

    private void setPart(int part, int power, long bits) {
        setClasses(part, power, bits);
        setClasses(part + REVERSED, power, Long.reverse(bits));
    }

    private void setClasses(int part, int power, long bits) {
        int at = (part * BLOCKS + power) * CLASSES;
        keys[at] = bits & CLASS_0;
        keys[at + 1] = bits & CLASS_1;
        keys[at + 2] = bits & CLASS_2;
        keys[at + 3] = bits & CLASS_3;
    }

    /** Adds text; zeros fill its last block. */
    void update(byte[] text, int length) {
        ByteBuffer halves = ByteBuffer.wrap(text);
        int at = 0;
        for (; length - at >= BLOCKS * BLOCK; at += BLOCKS * BLOCK) {
            for (int block = 0; block < BLOCKS; block++) {
                setBlock(block, halves.getLong(at + block * BLOCK), halves.getLong(at + block * BLOCK + 8));
            }
            absorb(0);
        }
        for (; at < length; at += BLOCK) {
            int bytes = Math.min(BLOCK, length - at);
            Arrays.fill(last, (byte) 0);
            System.arraycopy(text, at, last, 0, bytes);
            ByteBuffer block = ByteBuffer.wrap(last);
            update(block.getLong(0), block.getLong(8));
        }
    }

    /** Adds one block. */
    void update(long blockHigh, long blockLow) {
        setBlock(BLOCKS - 1, blockHigh, blockLow);
        absorb(BLOCKS - 1);
    }

    long high() {
        return high;
    }

    long low() {
        return low;
    }

    void setState(long stateHigh, long stateLow) {
        high = stateHigh;
        low = stateLow;
    }

    void wipe() {
        Arrays.fill(keys, 0);
        Arrays.fill(blocks, 0);
        Arrays.fill(last, (byte) 0);
        setState(0, 0);
    }

    private void setBlock(int block, long blockHigh, long blockLow) {
        blocks[LOW * BLOCKS + block] = blockLow;
        blocks[HIGH * BLOCKS + block] = blockHigh;
    }

    /** Multiplies the blocks from {@code first} on, the state added to that one, each by its power of the key. */
    private void absorb(int first) {
        blocks[LOW * BLOCKS + first] ^= low;
        blocks[HIGH * BLOCKS + first] ^= high;
        for (int block = 0; block < BLOCKS; block++) {
            long blockLow = blocks[LOW * BLOCKS + block];
            long blockHigh = blocks[HIGH * BLOCKS + block];
            blocks[SUM * BLOCKS + block] = blockLow ^ blockHigh;
            long reversedLow = Long.reverse(blockLow);
            long reversedHigh = Long.reverse(blockHigh);
            blocks[(LOW + REVERSED) * BLOCKS + block] = reversedLow;
            blocks[(HIGH + REVERSED) * BLOCKS + block] = reversedHigh;
            blocks[(SUM + REVERSED) * BLOCKS + block] = reversedLow ^ reversedHigh;
        }
        reduce(product(LOW), product(HIGH), product(SUM), upper(LOW), upper(HIGH), upper(SUM));
        for (int block = 0; block < BLOCKS; block++) {
            setBlock(block, 0, 0);
        }
    }

    /** The upper half of a product is the lower half of the reversed product, reversed, and one place lower. */
    private long upper(int part) {
        return Long.reverse(product(part + REVERSED)) >>> 1;
    }

    /** The lower half of the sum of the products of one part of all blocks. */
    private long product(int part) {
        long class0 = 0;
        long class1 = 0;
        long class2 = 0;
        long class3 = 0;
        for (int block = 0; block < BLOCKS; block++) {
            long bits = blocks[part * BLOCKS + block];
            long bits0 = bits & CLASS_0;
            long bits1 = bits & CLASS_1;
            long bits2 = bits & CLASS_2;
            long bits3 = bits & CLASS_3;
            int at = (part * BLOCKS + block) * CLASSES;
            long key0 = keys[at];
            long key1 = keys[at + 1];
            long key2 = keys[at + 2];
            long key3 = keys[at + 3];
            class0 ^= (bits0 * key0) ^ (bits1 * key3) ^ (bits2 * key2) ^ (bits3 * key1);
            class1 ^= (bits0 * key1) ^ (bits1 * key0) ^ (bits2 * key3) ^ (bits3 * key2);
            class2 ^= (bits0 * key2) ^ (bits1 * key1) ^ (bits2 * key0) ^ (bits3 * key3);
            class3 ^= (bits0 * key3) ^ (bits1 * key2) ^ (bits2 * key1) ^ (bits3 * key0);
        }
        return (class0 & CLASS_0) | (class1 & CLASS_1) | (class2 & CLASS_2) | (class3 & CLASS_3);
    }

    /** Puts the three products together and takes them modulo GHASH's polynomial; its bits run backwards. */
    private void reduce(long lows, long highs, long sums, long upperLows, long upperHighs, long upperSums) {
        long middle = sums ^ lows ^ highs;
        long upperMiddle = upperSums ^ upperLows ^ upperHighs;
        // 255 bits, one place too low because bits are reversed.
        long word0 = lows;
        long word1 = upperLows ^ middle;
        long word2 = highs ^ upperMiddle;
        long word3 = upperHighs;
        word3 = word3 << 1 | word2 >>> 63;
        word2 = word2 << 1 | word1 >>> 63;
        word1 = word1 << 1 | word0 >>> 63;
        word0 <<= 1;
        // x^128 = x^7 + x^2 + x + 1
        word2 ^= word0 ^ word0 >>> 1 ^ word0 >>> 2 ^ word0 >>> 7;
        word1 ^= word0 << 63 ^ word0 << 62 ^ word0 << 57;
        word3 ^= word1 ^ word1 >>> 1 ^ word1 >>> 2 ^ word1 >>> 7;
        word2 ^= word1 << 63 ^ word1 << 62 ^ word1 << 57;
        setState(word3, word2);
    }
}
