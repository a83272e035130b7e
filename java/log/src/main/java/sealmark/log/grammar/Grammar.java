package sealmark.log.grammar;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import sealmark.log.grammar.Found.Closing;
import sealmark.log.grammar.Found.CutOff;
import sealmark.log.grammar.Found.Part;
import sealmark.log.grammar.Found.Token;
import sealmark.log.wrap.Base64Url;

/** Where in a text a token, a header's part or a closing token stands (spec/record.md, "Grammar"). */
public final class Grammar {
    /** The beginning of tokens, parts of headers, closing tokens and markers. */
    public static final String START = "~s1";
    /** Characters of a session's id. */
    public static final int ID = 16;
    /** Where in a token its suite stands. */
    public static final int SUITE = 3;
    /** The most characters of a label. */
    public static final int LONGEST_LABEL = 64;
    /** Characters of a header's digest. */
    public static final int DIGEST = 12;

    /** Characters before the label or the session. */
    static final int HEAD = 5;
    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGHS = ONES << 7;
    private static final long TILDES = '~' * ONES;
    private static final int LEAST_BODY = 27;
    private static final int MOST_BODY = 1_398_128;
    private static final int LEAST_CLOSING = 32;
    private static final int MOST_CLOSING = 715;
    private static final int LONGEST_PART = 900;
    private static final int MOST_PARTS = 65_535;

    /** Kinds of characters. */
    private static final int OF_BASE64 = 1;
    private static final int OF_LABEL = 2;
    private static final int OF_NUMBERS = 4;
    /** The kinds of each byte. A function for each kind would be called for each character, and not inlined. */
    private static final byte[] KINDS = kinds();

    private final byte[] text;
    private final int to;
    private int at;

    /** Looks from {@code text[from]} to {@code text[to - 1]}. */
    public Grammar(byte[] text, int from, int to) {
        this.text = text;
        this.at = from;
        this.to = to;
    }

    /** The next thing that the grammar knows, from left to right, or what was cut off of it; null at the end. */
    public Found next() {
        while ((at = start(text, at, to)) < to) {
            Found found = parse();
            at = found == null || found instanceof CutOff ? at + 1 : found.end;
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /**
     * The thing that begins at a place that {@link #start} returned, or what was cut off of it; null for ordinary text. Unlike
     * {@link #next}, it looks no further.
     */
    public static Found at(byte[] text, int start, int to) {
        return new Grammar(text, start, to).parse();
    }

    /** Looks at the last tilde of a finding once more, because another token may begin there if the finding is removed. */
    void goOn(Found found) {
        if (!(found instanceof CutOff)) {
            at = found.end - 1;
        }
    }

    /** Where the next {@code ~s1} is; {@code to} where there is none. */
    public static int start(byte[] text, int from, int to) {
        int last = to - HEAD;
        int at = from;
        // Eight bytes at a time, because most of a log is searched and nothing else.
        for (; at <= last - Long.BYTES; at += Long.BYTES) {
            long tildes = (long) EIGHT.get(text, at) ^ TILDES;
            // The lowest bit that is set belongs to a tilde; others may belong to the byte after one.
            for (long hits = (tildes - ONES) & ~tildes & HIGHS; hits != 0; hits &= hits - 1) {
                int hit = at + Long.numberOfTrailingZeros(hits) / Byte.SIZE;
                if (isStart(text, hit)) {
                    return hit;
                }
            }
        }
        for (; at < last; at++) {
            if (isStart(text, at)) {
                return at;
            }
        }
        return to;
    }

    private static boolean isStart(byte[] text, int at) {
        return text[at] == '~' && text[at + 1] == 's' && text[at + 2] == '1';
    }

    /** The part, token or closing token that starts here; null for ordinary text. */
    private Found parse() {
        if (text[at + HEAD - 1] != '~') {
            return null;
        }
        return switch (text[at + SUITE]) {
            case 'a', 'p', 'j', 'q' -> token();
            case 'h' -> part();
            case 'z' -> found(at + HEAD, LEAST_CLOSING, MOST_CLOSING, Closing::new);
            default -> null;
        };
    }

    private Found token() {
        int session = behind(at + HEAD, 1, LONGEST_LABEL, OF_LABEL);
        return session < 0 ? null : found(session, LEAST_BODY, MOST_BODY, Token::new);
    }

    /** Something that ends with a session and a body. */
    private Found found(int session, int least, int most, Kind kind) {
        int body = behind(session, ID, ID, OF_BASE64);
        if (body < 0) {
            return null;
        }
        int end = behind(body, least, most, OF_BASE64);
        return end < 0 ? new CutOff(text, at, session, body) : kind.of(text, at, session, body, end);
    }

    /** A token or a closing token. */
    private interface Kind {
        Found of(byte[] text, int start, int session, int bodyStart, int end);
    }

    private Found part() {
        int session = at + HEAD;
        int digest = behind(session, ID, ID, OF_BASE64);
        if (digest < 0) {
            return null;
        }
        int numbers = behind(digest, DIGEST, DIGEST, OF_BASE64);
        int body = numbers < 0 ? -1 : behind(numbers, 3, 11, OF_NUMBERS);
        int end = body < 0 ? -1 : behind(body, 1, LONGEST_PART, OF_BASE64);
        if (end < 0 || end - at > LONGEST_PART) {
            return new CutOff(text, at, session, digest);
        }
        int dot = numbers;
        while (text[dot] != '.' && dot < body - 1) {
            dot++;
        }
        int number = number(numbers, dot);
        int of = number(dot + 1, body - 1);
        return number == 0 || number > of ? new CutOff(text, at, session, digest)
                : new Part(text, at, session, digest, body, end, number, of);
    }

    /** The place behind a tilde that ends so many characters of a kind; negative where there is none. */
    private int behind(int from, int least, int most, int kind) {
        int end = from;
        int furthest = Math.min(to, from + most);
        while (end < furthest && (KINDS[text[end] & 0xff] & kind) != 0) {
            end++;
        }
        return end - from >= least && end < to && text[end] == '~' ? end + 1 : -1;
    }

    /** A decimal from 1 to 65535 without a leading zero; 0 where that is something else. */
    private int number(int from, int end) {
        if (from >= end || end - from > 5 || text[from] == '0') {
            return 0;
        }
        int number = 0;
        for (int digit = from; digit < end; digit++) {
            if (text[digit] == '.') {
                return 0;
            }
            number = 10 * number + text[digit] - '0';
        }
        return number > MOST_PARTS ? 0 : number;
    }

    private static byte[] kinds() {
        byte[] kinds = new byte[256];
        add(kinds, Base64Url.ALPHABET, OF_BASE64 | OF_LABEL);
        add(kinds, ".", OF_LABEL);
        add(kinds, "0123456789.", OF_NUMBERS);
        return kinds;
    }

    private static void add(byte[] kinds, String characters, int more) {
        characters.chars().forEach(character -> kinds[character] |= (byte) more);
    }
}
