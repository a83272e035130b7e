package sealmark.spark;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Cuts a stream into blocks of whole lines; a line that is too long comes in pieces, so that memory is bounded. */
final class Lines {
    /** Ten of the longest tokens. */
    static final int LONGEST = 16 << 20;

    private static final int BLOCK = 1 << 18;

    /** How a block was cut. */
    enum Kind {
        /** Whole lines; the last one of a file may have no end. */
        WHOLE,
        /** A piece of a line that is too long, and more of it follows. */
        PIECE,
        /** The last piece of such a line. */
        LAST_PIECE
    }

    private final InputStream in;
    private byte[] text = new byte[BLOCK];
    private int end;
    private int filled;
    private long offset;
    private Kind kind = Kind.WHOLE;

    Lines(InputStream in) {
        this.in = in;
    }

    /** Reads the next block; false at the end of the stream. */
    boolean next() throws IOException {
        boolean isLong = kind == Kind.PIECE;
        offset += end;
        System.arraycopy(text, end, text, 0, filled - end);
        filled -= end;
        int searched = 0;
        while (true) {
            end = isLong ? firstFeed(searched) : lastFeed(searched);
            if (end > 0 && (isLong || filled >= BLOCK)) {
                kind = isLong ? Kind.LAST_PIECE : Kind.WHOLE;
                return true;
            }
            if (end == 0 && filled >= LONGEST) {
                end = filled;
                kind = Kind.PIECE;
                return true;
            }
            searched = end == 0 ? filled : 0;
            if (read() < 0) {
                return last(isLong);
            }
        }
    }

    private boolean last(boolean isLong) {
        kind = isLong ? Kind.LAST_PIECE : Kind.WHOLE;
        end = filled;
        return filled > 0 || isLong;
    }

    private int read() throws IOException {
        if (filled == text.length) {
            text = Arrays.copyOf(text, 2 * text.length);
        }
        int read = in.read(text, filled, text.length - filled);
        filled += Math.max(0, read);
        return read;
    }

    private int firstFeed(int searched) {
        for (int at = searched; at < filled; at++) {
            if (text[at] == '\n') {
                return at + 1;
            }
        }
        return 0;
    }

    /** The place after the last line feed; 0 if there is none from {@code searched} on. */
    private int lastFeed(int searched) {
        for (int at = filled; at > searched; at--) {
            if (text[at - 1] == '\n') {
                return at;
            }
        }
        return 0;
    }

    /** Where a line ends that begins at {@code from}: after its line feed. */
    static int end(byte[] text, int from, int to) {
        int end = from;
        while (end < to && text[end] != '\n') {
            end++;
        }
        return Math.min(end + 1, to);
    }

    /** The text of the block, from 0 to {@link #end}. */
    byte[] text() {
        return text;
    }

    int end() {
        return end;
    }

    Kind kind() {
        return kind;
    }

    /** The place of the block's first byte in the stream. */
    long offset() {
        return offset;
    }
}
