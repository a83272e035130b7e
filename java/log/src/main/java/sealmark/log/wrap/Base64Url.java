package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/** Base64url without padding (RFC 4648, section 5), as strict as spec/record.md asks. */
public final class Base64Url {
    /** Its characters, by the six bits that they stand for. */
    public static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final byte[] VALUES = values();

    private Base64Url() {}

    /** Encodes bytes as text. */
    @SuppressWarnings("deprecation") // Latin-1 without a look at each character.
    public static String encode(byte[] bytes) {
        return new String(ENCODER.encode(bytes), 0);
    }

    /**
     * The bytes of {@code text[from]} to {@code text[to - 1]}; empty where that is no canonical base64url.
     *
     * <p>Not by {@link Base64.Decoder}: what is decoded here was written by strangers, and on processors with AVX-512
     * the JDK's decoder writes beyond its output for some short invalid inputs (JDK-8392044).
     */
    public static Optional<byte[]> decode(byte[] text, int from, int to) {
        if ((to - from) % 4 == 1) {
            return Optional.empty();
        }
        byte[] out = new byte[(int) ((to - from) * 3L / 4)];
        int seen = 0;
        int read = from;
        int write = 0;
        for (; to - read >= 4; read += 4, write += 3) {
            int bits = value(text[read]) << 18 | value(text[read + 1]) << 12
                    | value(text[read + 2]) << 6 | value(text[read + 3]);
            seen |= bits;
            out[write] = (byte) (bits >> 16);
            out[write + 1] = (byte) (bits >> 8);
            out[write + 2] = (byte) bits;
        }
        seen |= decodeTail(text, read, to, out, write);
        return seen < 0 ? Optional.empty() : Optional.of(out);
    }

    /** The bytes of a text that was made here, or was checked. */
    public static byte[] decode(String text) {
        return decode(text.getBytes(ISO_8859_1), 0, text.length()).orElseThrow();
    }

    /** The last two or three characters; below zero where one is foreign, or bits behind the last byte are set. */
    private static int decodeTail(byte[] text, int read, int to, byte[] out, int write) {
        int left = to - read;
        if (left == 0) {
            return 0;
        }
        int last = left == 3 ? value(text[read + 2]) : 0;
        int bits = value(text[read]) << 18 | value(text[read + 1]) << 12 | last << 6;
        for (int byteOf = 0; byteOf < left - 1; byteOf++) {
            out[write + byteOf] = (byte) (bits >> (16 - 8 * byteOf));
        }
        int unused = left == 3 ? 0xff : 0xffff;
        return bits < 0 || (bits & unused) != 0 ? -1 : 0;
    }

    /** Six bits, or -1, which stays below zero whatever it is shifted by here. */
    private static int value(byte character) {
        return VALUES[character & 0xff];
    }

    private static byte[] values() {
        byte[] values = new byte[256];
        Arrays.fill(values, (byte) -1);
        for (int i = 0; i < ALPHABET.length(); i++) {
            values[ALPHABET.charAt(i)] = (byte) i;
        }
        return values;
    }
}
