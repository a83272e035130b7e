package sealmark.log.wrap;

import java.util.Locale;

/** Bech32 (BIP 173) without its limit of 90 characters, as age uses it: post-quantum keys are long. */
public final class Bech32 {
    private static final String ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    private static final int[] GENERATOR = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3};
    private static final int CHECKSUM = 6;
    /** This is longer than any key string. Longer text is refused unread. */
    private static final int MOST = 4096;

    private Bech32() {}

    /**
     * The content of a string. Closing it wipes the bytes.
     *
     * @param prefix the part before the last {@code 1}, in lower case
     * @param bytes the bytes themselves, not a copy
     * @param isUpper whether the string was written in upper case
     */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares two of them.
    public record Decoded(String prefix, byte[] bytes, boolean isUpper) implements AutoCloseable {
        @Override
        public void close() {
            Bytes.wipe(bytes);
        }
    }

    /** The string of some bytes, all of it in lower or in upper case. */
    public static char[] encode(String prefix, byte[] bytes, boolean upper) {
        byte[] symbols = toSymbols(bytes);
        int check = polymod(polymod(expanded(prefix), symbols, symbols.length), new byte[CHECKSUM], CHECKSUM) ^ 1;
        String start = upper ? prefix.toUpperCase(Locale.ROOT) + '1' : prefix + '1';
        String alphabet = upper ? ALPHABET.toUpperCase(Locale.ROOT) : ALPHABET;
        char[] text = new char[start.length() + symbols.length + CHECKSUM];
        start.getChars(0, start.length(), text, 0);
        int at = start.length();
        for (byte symbol : symbols) {
            text[at++] = alphabet.charAt(symbol);
        }
        for (int i = CHECKSUM - 1; i >= 0; i--) {
            text[at++] = alphabet.charAt((check >>> (5 * i)) & 31);
        }
        Bytes.wipe(symbols);
        return text;
    }

    /**
     * Decodes a string.
     *
     * @throws IllegalArgumentException if it is no such string; the message says nothing of what is in it
     */
    public static Decoded decode(CharSequence text) {
        if (text.length() > MOST) {
            throw new IllegalArgumentException("too long");
        }
        int separator = lastOne(text);
        boolean isUpper = isUpper(text);
        if (separator < 1 || text.length() - separator - 1 < CHECKSUM) {
            throw mistyped();
        }
        String prefix = text.subSequence(0, separator).toString().toLowerCase(Locale.ROOT);
        byte[] symbols = symbols(text, separator + 1);
        try {
            if (polymod(expanded(prefix), symbols, symbols.length) != 1) {
                throw mistyped();
            }
            return new Decoded(prefix, toBytes(symbols, symbols.length - CHECKSUM), isUpper);
        } finally {
            Bytes.wipe(symbols);
        }
    }

    private static IllegalArgumentException mistyped() {
        return new IllegalArgumentException("its Bech32 encoding is invalid: mistyped or cut short");
    }

    private static int lastOne(CharSequence text) {
        int at = text.length() - 1;
        while (at >= 0 && text.charAt(at) != '1') {
            at--;
        }
        return at;
    }

    /** True if the text is in upper case. Anything but printable ASCII in one case is refused. */
    private static boolean isUpper(CharSequence text) {
        boolean upper = text.chars().anyMatch(Character::isUpperCase);
        boolean lower = text.chars().anyMatch(Character::isLowerCase);
        if ((upper && lower) || text.chars().anyMatch(c -> c < '!' || c > '~')) {
            throw mistyped();
        }
        return upper;
    }

    private static byte[] symbols(CharSequence text, int from) {
        byte[] symbols = new byte[text.length() - from];
        for (int i = 0; i < symbols.length; i++) {
            int symbol = ALPHABET.indexOf(text.charAt(from + i) | 0x20);
            if (symbol < 0) {
                Bytes.wipe(symbols);
                throw mistyped();
            }
            symbols[i] = (byte) symbol;
        }
        return symbols;
    }

    /** The checksum's state behind the prefix. */
    private static int expanded(String prefix) {
        int length = prefix.length();
        byte[] symbols = new byte[2 * length + 1];
        for (int i = 0; i < length; i++) {
            symbols[i] = (byte) (prefix.charAt(i) >> 5);
            symbols[length + 1 + i] = (byte) (prefix.charAt(i) & 31);
        }
        return polymod(1, symbols, symbols.length);
    }

    private static int polymod(int state, byte[] symbols, int count) {
        for (int i = 0; i < count; i++) {
            int top = state >>> 25;
            state = ((state & 0x1ffffff) << 5) ^ symbols[i];
            for (int bit = 0; bit < GENERATOR.length; bit++) {
                state ^= -((top >> bit) & 1) & GENERATOR[bit];
            }
        }
        return state;
    }

    /** Five-bit symbols from eight-bit bytes, padded with zeros. */
    private static byte[] toSymbols(byte[] bytes) {
        byte[] symbols = new byte[(bytes.length * 8 + 4) / 5];
        int rest = regroup(bytes, bytes.length, 8, symbols, 5);
        int bits = bytes.length * 8 % 5;
        if (bits > 0) {
            symbols[symbols.length - 1] = (byte) (rest << (5 - bits));
        }
        return symbols;
    }

    /** Eight-bit bytes from five-bit symbols; padding must be short and zero. */
    private static byte[] toBytes(byte[] symbols, int count) {
        byte[] bytes = new byte[count * 5 / 8];
        int rest = regroup(symbols, count, 5, bytes, 8);
        if (count * 5 % 8 >= 5 || rest != 0) {
            Bytes.wipe(bytes);
            throw new IllegalArgumentException("padding is not zero");
        }
        return bytes;
    }

    /** Groups of some bits from groups of others; returns the bits that are left, fewer than a group. */
    private static int regroup(byte[] in, int count, int inBits, byte[] out, int outBits) {
        int window = 0;
        int bits = 0;
        int at = 0;
        for (int i = 0; i < count; i++) {
            window = (window << inBits | (in[i] & 0xff)) & 0xfff;
            for (bits += inBits; bits >= outBits; bits -= outBits) {
                out[at++] = (byte) ((window >> (bits - outBits)) & ((1 << outBits) - 1));
            }
        }
        return window & ((1 << bits) - 1);
    }
}
