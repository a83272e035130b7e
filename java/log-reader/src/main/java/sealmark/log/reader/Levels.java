package sealmark.log.reader;

import java.util.Arrays;

/**
 * How deep a place in a line is inside JSON strings, where a string may hold JSON itself (spec/record.md, "Opening").
 * Follows the line from left to right, once; strings without a backslash hold no deeper level.
 */
final class Levels {
    /** The deepest level whose values are opened. */
    static final int DEEPEST = 4;

    private final byte[] line;
    private final int lineEnd;
    /** Where the object begins; the end of the line where there is none. */
    private final int object;
    private int at;
    private boolean inside;
    /** True if the line ends inside of a string, once that was asked. */
    private Boolean isUnended;
    /** Where the content of the string begins that the scan is in, and whether it has a backslash. */
    private int string;
    private boolean isEscaped;

    /** The levels of one string, up to a place in it. */
    private Level[] deep;
    private int deepString = -1;
    private int deepAt;

    /** The text at one level, which the string around it stands for. */
    private static final class Level implements Cloneable {
        /** True if the first brace was met: strings begin behind it. */
        boolean brace;
        boolean inside;
        /** Where an escape was begun; negative for none. */
        int escape = -1;
        /** Digits behind {@code u} and their value; negative where there is no {@code u}. */
        int digits = -1;
        int value;
        /** Where in the line the last opening quote is written. */
        int quoteStart;
        int quoteEnd;
        int last;

        Level copy() {
            try {
                return (Level) clone();
            } catch (CloneNotSupportedException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    /** For a line with a JSON object that begins at {@code object}, or of one without where that is negative. */
    Levels(byte[] line, int object, int lineEnd) {
        this.line = line;
        this.lineEnd = lineEnd;
        this.object = object < 0 ? lineEnd : object;
        this.at = this.object;
    }

    /** The level of a place, not before the last one asked for: 0 outside of strings, at most one more than DEEPEST. */
    int of(int place) {
        go(place);
        if (!inside) {
            // Where the quotes do not add up, the brace may be in front of the JSON, and outside may be inside.
            return place > object && isUnended() ? 1 : 0;
        }
        return isEscaped ? deepLevel(place) : 1;
    }

    private boolean isUnended() {
        if (isUnended == null) {
            Levels rest = new Levels(line, at, lineEnd);
            rest.go(lineEnd);
            isUnended = rest.inside;
        }
        return isUnended;
    }

    private void go(int place) {
        while (at < place) {
            // A backslash takes the next byte with it.
            if (line[at] == '\\') {
                at++;
                isEscaped = true;
            } else if (line[at] == '"') {
                inside = !inside;
                string = at + 1;
                isEscaped = false;
            }
            at++;
        }
    }

    /** Where the opening quote of the innermost string around the last place is written. */
    int quoteStart(int level) {
        return level <= 1 ? string - level : deep[level - 1].quoteStart;
    }

    /** The place behind it. */
    int quoteEnd(int level) {
        return level <= 1 ? string : deep[level - 1].quoteEnd;
    }

    /** True if the string at that level, which ended before {@code end}, is the name of a member. */
    boolean isName(int level, int end) {
        if (level > 1) {
            return nextDeep(level, end) == ':';
        }
        int next = end;
        while (next < lineEnd && isSpace(line[next])) {
            next++;
        }
        return next < lineEnd && line[next] == ':';
    }

    private int deepLevel(int place) {
        if (deepString != string) {
            deep = new Level[DEEPEST + 1];
            Arrays.setAll(deep, any -> new Level());
            // The string itself, which ends behind the place.
            deep[0].brace = true;
            deep[0].inside = true;
            deepString = string;
            deepAt = string;
        }
        for (; deepAt < place; deepAt++) {
            take(deep, 0, line[deepAt], deepAt, deepAt + 1);
        }
        int level = 0;
        while (level < deep.length && deep[level].inside) {
            level++;
        }
        return level;
    }

    /** The character that follows at this level, but for white space; negative where a string around it ends first. */
    private int nextDeep(int level, int end) {
        Level[] levels = Arrays.stream(deep).map(Level::copy).toArray(Level[]::new);
        levels[level - 1].inside = false;
        for (int next = end; next < lineEnd; next++) {
            levels[level - 1].last = ' ';
            take(levels, 0, line[next], next, next + 1);
            if (Arrays.stream(levels, 0, level - 1).anyMatch(around -> !around.inside)) {
                return -1;
            }
            if (!isSpace((byte) levels[level - 1].last)) {
                return levels[level - 1].last;
            }
        }
        return -1;
    }

    /** Takes the next byte of the text at a level, written at {@code from}, and hands what strings stand for down. */
    private static void take(Level[] levels, int index, int next, int from, int to) {
        if (index == levels.length) {
            return;
        }
        Level level = levels[index];
        level.last = next;
        if (!level.brace) {
            level.brace = next == '{';
        } else if (level.escape < 0 || !takeEscaped(levels, index, next, to)) {
            level.escape = -1;
            takePlain(levels, index, next, from, to);
        }
    }

    private static void takePlain(Level[] levels, int index, int next, int from, int to) {
        Level level = levels[index];
        if (next == '\\') {
            level.escape = from;
            level.digits = -1;
        } else if (next == '"') {
            level.inside = !level.inside;
            if (level.inside) {
                level.quoteStart = from;
                level.quoteEnd = to;
                Arrays.setAll(levels, below -> below > index ? new Level() : levels[below]);
            }
        } else if (level.inside) {
            take(levels, index + 1, next, from, to);
        }
    }

    /** The next byte of an escape; false if it is not of it. */
    private static boolean takeEscaped(Level[] levels, int index, int next, int to) {
        Level level = levels[index];
        int start = level.escape;
        if (level.digits < 0 && next == 'u' && level.inside) {
            level.digits = 0;
            level.value = 0;
            return true;
        }
        if (level.digits >= 0) {
            int digit = next < 0 ? -1 : Character.digit(next, 16);
            if (digit < 0) {
                return false;
            }
            level.value = level.value << 4 | digit;
            level.digits++;
            if (level.digits == 4) {
                level.escape = -1;
                // Nothing beyond ASCII changes a level.
                take(levels, index + 1, Math.min(level.value, 0xff), start, to);
            }
            return true;
        }
        level.escape = -1;
        int letter = "\"\\/bfnrt".indexOf(next);
        // An escape that JSON does not have stands for nothing.
        if (level.inside && letter >= 0) {
            take(levels, index + 1, "\"\\/\b\f\n\r\t".charAt(letter), start, to);
        }
        return true;
    }

    /**
     * Where in a line a reader sees a JSON object begin that goes on to its end; negative where there is none. Behind
     * that place, quotes count.
     */
    static int objectIn(byte[] line, int from, int to) {
        int last = to - 1;
        // An array of objects has a comma or its end behind each.
        while (last >= from && (isSpace(line[last]) || line[last] == ',' || line[last] == ']')) {
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
