package sealmark.log.read;

/** Follows the quotes of a line from left to right: whether a place is inside a JSON string. */
final class Quotes {
    private final byte[] line;
    private boolean inside;
    private int at;

    /** Counts those from {@code start} on; before it there is no string. */
    Quotes(byte[] line, int start) {
        this.line = line;
        this.at = start;
    }

    /** Whether the byte at {@code place}, not before the last one asked for, is inside a string. */
    boolean enclose(int place) {
        while (at < place) {
            // A backslash takes the next byte with it.
            if (line[at] == '\\') {
                at++;
            } else if (line[at] == '"') {
                inside = !inside;
            }
            at++;
        }
        return inside;
    }

    /**
     * Where in a line a reader sees a JSON object begin that goes on to its end; negative where there is none. Behind
     * that place, quotes count.
     */
    static int objectIn(byte[] line, int from, int to) {
        int last = to - 1;
        while (last >= from && isSpace(line[last])) {
            last--;
        }
        if (last < from || line[last] != '}') {
            return -1;
        }
        for (int at = from; at < last; at++) {
            if (line[at] == '{') {
                return at;
            }
        }
        return -1;
    }

    static boolean isSpace(byte character) {
        return character == ' ' || character == '\t' || character == '\n' || character == '\f' || character == '\r';
    }
}
