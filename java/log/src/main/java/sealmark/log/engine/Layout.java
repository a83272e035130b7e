package sealmark.log.engine;

import sealmark.log.Label;

/**
 * How long tokens are (spec/record.md, "Grammar" and "Values").
 *
 * @param padding values are padded to a multiple of so many bytes; 0 for none
 */
public record Layout(int padding) {
    static final int COUNTER = 4;
    static final int TAG = 16;
    static final int SUITE = 5;
    static final int ID = 18;

    /** The most bytes that a value may have. */
    public int longestValue() {
        return padding == 0 ? Session.MAX_PLAINTEXT : Session.MAX_PLAINTEXT / padding * padding - 1;
    }

    /** How many bytes the token of a value takes that is not too long. */
    public int tokenLength(Label label, int length) {
        return headLength(label) + (4 * (COUNTER + padded(length) + TAG) + 2) / 3 + 1;
    }

    /** The length of a value with its padding. */
    int padded(int length) {
        return padding == 0 ? length : (length / padding + 1) * padding;
    }

    /** A text has at least as many bytes as characters: what is far too long need not be copied to be refused. */
    void check(int length) throws SealException {
        if (length > longestValue()) {
            throw tooLong();
        }
    }

    SealException tooLong() {
        return new SealException("the value is longer than " + longestValue() + " bytes, the limit of a token");
    }

    /** The head of a token, which stands in front of the body and is its associated data. */
    static int headLength(Label label) {
        return SUITE + label.length() + ID;
    }
}
