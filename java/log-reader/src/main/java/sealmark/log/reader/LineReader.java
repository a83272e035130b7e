package sealmark.log.reader;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Cuts a stream into lines, each with its end; those that are too long come in pieces. */
final class LineReader {
    /** Ten of the longest tokens. */
    public static final int LONGEST = 16 << 20;

    private static final int READ = 1 << 16;

    private final InputStream in;
    private final int longest;
    private byte[] buffer = new byte[READ];
    private int filled;
    private boolean isLong;

    /** Takes the lines of a log. */
    public interface Lines {
        /** A line with its line feed; the last one may have none. */
        void line(byte[] text, int from, int to) throws IOException;

        /** A piece of a line that is too long; the last one ends it. */
        default void piece(byte[] text, int from, int to, boolean isLast) throws IOException {}
    }

    /** Lines of more than {@code longest} bytes are too long. */
    public LineReader(InputStream in, int longest) {
        this.in = in;
        this.longest = longest;
    }

    /** Reads to the end. */
    public void readTo(Lines lines) throws IOException {
        for (int read = read(); read >= 0; read = read()) {
            int scanned = filled;
            filled += read;
            keepFrom(cut(buffer, scanned, filled, lines));
            if (filled >= longest) {
                lines.piece(buffer, 0, filled, false);
                isLong = true;
                filled = 0;
            }
        }
        if (isLong || filled > 0) {
            give(buffer, 0, filled, lines);
        }
    }

    private int read() throws IOException {
        if (filled == buffer.length) {
            buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        }
        return in.read(buffer, filled, buffer.length - filled);
    }

    /** Gives the whole lines of what is there; returns where the rest begins. */
    private int cut(byte[] text, int scanned, int to, Lines lines) throws IOException {
        int from = 0;
        for (int at = scanned; at < to; at++) {
            if (text[at] == '\n') {
                give(text, from, at + 1, lines);
                from = at + 1;
            }
        }
        return from;
    }

    private void give(byte[] text, int from, int to, Lines lines) throws IOException {
        if (isLong) {
            lines.piece(text, from, to, true);
            isLong = false;
        } else {
            lines.line(text, from, to);
        }
    }

    private void keepFrom(int from) {
        System.arraycopy(buffer, from, buffer, 0, filled - from);
        filled -= from;
    }
}
