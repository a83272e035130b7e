package sealmark.log.engine;

import java.nio.charset.StandardCharsets;
import sealmark.log.Label;

/** Where things stand in a token (spec/record.md, "Grammar" and "Values"). */
public final class Layout {
    static final int COUNTER = 4;
    static final int TAG = 16;

    private static final int SUITE = 5;
    private static final int ID = 18;

    private final byte[] any;
    private final byte[] json;
    private final byte[] id;
    private final int padding;

    /** For tokens of the session {@code id}, padded to a multiple of {@code padding} bytes, or not where that is 0. */
    Layout(String id, int padding) {
        this.any = (padding == 0 ? "~s1a~" : "~s1p~").getBytes(StandardCharsets.ISO_8859_1);
        this.json = (padding == 0 ? "~s1j~" : "~s1q~").getBytes(StandardCharsets.ISO_8859_1);
        this.id = ("~" + id + "~").getBytes(StandardCharsets.ISO_8859_1);
        this.padding = padding;
    }

    /** The most bytes that a value may have. */
    public static int longestValue(int padding) {
        return padding == 0 ? Session.MAX_PLAINTEXT : Session.MAX_PLAINTEXT / padding * padding - 1;
    }

    /** How many bytes the token of a value takes that is not too long. */
    public static int tokenLength(Label label, int padding, int length) {
        return headLength(label) + bodyLength(padded(padding, length)) + 1;
    }

    /** The length of a value with its padding. */
    int padded(int length) throws SealException {
        check(padding, length);
        return padded(padding, length);
    }

    /** A text has at least as many bytes as characters: what is far too long need not be copied to be refused. */
    static void check(int padding, int length) throws SealException {
        if (length > longestValue(padding)) {
            throw tooLong(padding);
        }
    }

    void check(int length) throws SealException {
        check(padding, length);
    }

    static SealException tooLong(int padding) {
        return new SealException("the value is longer than " + longestValue(padding) + " bytes, the limit of a token");
    }

    private static int padded(int padding, int length) {
        return padding == 0 ? length : (length / padding + 1) * padding;
    }

    /** The head of a token, which stands in front of the body and is its associated data. */
    static int headLength(Label label) {
        return SUITE + label.length() + ID;
    }

    void writeHead(Kind kind, Label label, byte[] out, int at) {
        System.arraycopy(kind == Kind.JSON ? json : any, 0, out, at, SUITE);
        label.copyTo(out, at + SUITE);
        System.arraycopy(id, 0, out, at + SUITE + label.length(), ID);
    }

    /** The characters of a body whose plaintext has so many bytes with its padding. */
    static int bodyLength(int padded) {
        return (4 * (COUNTER + padded + TAG) + 2) / 3;
    }

    /** Marks the end of a value (ISO/IEC 9797-1, padding method 2) in a room that is zero behind it. */
    void mark(byte[] plaintext, int length) {
        if (padding != 0) {
            plaintext[length] = (byte) 0x80;
        }
    }
}
