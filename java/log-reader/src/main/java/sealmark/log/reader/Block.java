package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * Some text of a log.
 *
 * @param text has it from {@code from} to {@code to - 1}
 * @param from its first byte
 * @param to the place after its last byte
 * @param input the number of the log, of several that are read as one
 * @param kind how it was cut
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares two of them.
record Block(byte[] text, int from, int to, int input, Kind kind) {
    /** How a text is cut. */
    enum Kind {
        /** Whole lines; the last one of a log may have no line feed. */
        LINES,
        /** A piece of a line that is too long, and more of it follows. */
        PIECE,
        /** The last piece of such a line. */
        LAST_PIECE
    }

    int length() {
        return to - from;
    }

    boolean isLines() {
        return kind == Kind.LINES;
    }

    /** Where the line begins that has the byte at {@code at}. */
    static int lineStart(byte[] text, int from, int at) {
        int start = at;
        while (start > from && text[start - 1] != '\n') {
            start--;
        }
        return start;
    }

    /** Where the line ends that has the byte at {@code at}: after its line feed. */
    static int lineEnd(byte[] text, int at, int to) {
        int end = at;
        while (end < to && text[end] != '\n') {
            end++;
        }
        return end < to ? end + 1 : to;
    }

    /** Where the content of a line ends, without its line feed and the carriage return before that. */
    static int contentEnd(byte[] text, int from, int to) {
        int end = to > from && text[to - 1] == '\n' ? to - 1 : to;
        return end > from && text[end - 1] == '\r' ? end - 1 : end;
    }

    @Override
    public String toString() {
        return kind + " " + new String(text, from, length(), ISO_8859_1);
    }
}
