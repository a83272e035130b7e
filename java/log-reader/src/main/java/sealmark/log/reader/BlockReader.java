package sealmark.log.reader;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Cuts a stream into blocks of whole lines; a line that is too long comes in pieces, to bound memory. */
final class BlockReader {
    /** Ten of the longest tokens. */
    static final int LONGEST = 16 << 20;
    /** The size of a block: large enough that handing it to another thread costs nothing. */
    static final int SIZE = 1 << 18;

    private final InputStream in;
    private final int input;
    private final int longest;
    private byte[] buffer;
    private int filled;
    private boolean isLong;
    private boolean isEnded;
    private IOException failure;

    /** Reads the log of that number. */
    BlockReader(InputStream in, int input) {
        this(in, input, LONGEST, SIZE);
    }

    /** Lines of more than {@code longest} bytes are too long. */
    BlockReader(InputStream in, int input, int longest, int size) {
        this.in = in;
        this.input = input;
        this.longest = longest;
        this.buffer = new byte[size];
    }

    /**
     * Waits for whole lines.
     *
     * @param next an array for the text after them
     * @return the next block, in the array of the one before; null at the end
     */
    Block next(byte[] next) throws IOException {
        if (failure != null) {
            throw failure;
        }
        int searched = 0;
        while (!isEnded) {
            int end = isLong ? firstFeed(searched) : lastFeed(searched);
            boolean isFull = filled >= buffer.length || isEmpty();
            if (end > 0 && (isFull || isLong)) {
                return cut(end, isLong ? Block.Kind.LAST_PIECE : Block.Kind.LINES, next);
            }
            if (end == 0 && filled >= longest) {
                return cut(filled, Block.Kind.PIECE, next);
            }
            searched = end == 0 ? filled : searched;
            try {
                read();
            } catch (IOException error) {
                // The lines before the damage count.
                failure = error;
                if (end == 0) {
                    throw error;
                }
                return cut(end, Block.Kind.LINES, next);
            }
        }
        if (filled == 0 && !isLong) {
            return null;
        }
        int end = isLong ? firstFeed(0) : filled;
        return cut(end == 0 ? filled : end, isLong ? Block.Kind.LAST_PIECE : Block.Kind.LINES, next);
    }

    /** True if the next block may have to be waited for. */
    boolean isIdle() {
        return isEnded || isEmpty();
    }

    private boolean isEmpty() {
        try {
            return in.available() == 0;
        } catch (IOException unknown) {
            // Some devices cannot tell; reading tells what is wrong with the others.
            return true;
        }
    }

    private void read() throws IOException {
        if (filled == buffer.length) {
            buffer = Arrays.copyOf(buffer, (int) Math.min(2L * buffer.length, Math.max(longest, buffer.length + 1L)));
        }
        int read = in.read(buffer, filled, buffer.length - filled);
        isEnded = read < 0;
        filled += Math.max(0, read);
    }

    private Block cut(int end, Block.Kind kind, byte[] next) {
        int rest = filled - end;
        byte[] following = next.length >= rest ? next : new byte[rest];
        System.arraycopy(buffer, end, following, 0, rest);
        Block block = new Block(buffer, 0, end, input, kind);
        buffer = following;
        filled = rest;
        isLong = kind == Block.Kind.PIECE;
        return block;
    }

    /** The place after the last line feed; 0 if there is none from {@code searched} on. */
    private int lastFeed(int searched) {
        int end = filled;
        while (end > searched && buffer[end - 1] != '\n') {
            end--;
        }
        return end > searched ? end : 0;
    }

    private int firstFeed(int searched) {
        for (int at = searched; at < filled; at++) {
            if (buffer[at] == '\n') {
                return at + 1;
            }
        }
        return 0;
    }
}
