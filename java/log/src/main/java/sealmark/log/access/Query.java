package sealmark.log.access;

import java.io.CharArrayWriter;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import sealmark.log.Label;
import sealmark.log.ValueNames;

/**
 * Seals the values of parameters, and leaves their names in the clear. It finds them as {@code sealmark log seal --query} does
 * in a log that has been written: wherever some server may take a value to begin, and up to where every server takes it to
 * end. Fields that begin as {@code x:} does, or have no mark of a
 * query, are taken for forms here if they have a value.
 *
 * <p>A path stays in the clear, and a mark that is escaped in it, {@code %3F} for instance, is part of the path.
 */
final class Query {
    /** A client could make a line many times as long as its request; what comes behind so many values is one. */
    private static final int MOST_VALUES = 64;
    private static final int MOST_LABELS = 256;
    private static final int LONGEST_KEPT = 64;
    /** The label of what has no name. */
    private static final Label UNNAMED = Label.of("query");
    private static final Label REQUEST = Label.of("request");
    private static final Label PATH = Label.of("path");

    private final Names named;
    private final boolean onlyNamed;
    private final Set<String> clear;
    /** Labels for the names that clients chose first: not for all, which may be any number. */
    private final ConcurrentMap<String, Label> labels = new ConcurrentHashMap<>();
    private final Values values;

    /** The text that parameters are looked for in. */
    enum Kind {
        /** The query of a request. */
        QUERY,
        /** A query without its question mark. */
        FORM,
        /** The target of a request. */
        TARGET,
        /** A header and the like: a URL, a form as browsers send it, or anything else. */
        FIELD,
        /** A request line. */
        REQUEST
    }

    /**
     * @param onlyNamed true if all parameters but the names stay in the clear
     * @param counts what each of the names matches
     */
    Query(Selection selection, boolean onlyNamed, ValueNames counts, Values values) {
        named = new Names(selection.names(), counts);
        this.onlyNamed = onlyNamed;
        clear = Set.copyOf(selection.clearNames());
        this.values = values;
    }

    /** Writes a text with tokens in the place of values. */
    void write(Kind kind, char[] chars, int from, int to, CharArrayWriter out) {
        int done = isNothing(chars, from, to) ? from : switch (kind) {
            case REQUEST -> writeRequest(chars, from, to, out);
            case TARGET -> writeTarget(chars, from, to, out);
            case QUERY, FORM, FIELD -> writeText(kind, chars, from, from, to, out);
        };
        out.write(chars, done, to - done);
    }

    /*
     * Each of those below writes up to its last value, and returns where that ends: what is in the clear goes out in one piece
     * with what is in the clear behind it.
     */

    /** A request in which nobody can tell where a query is becomes one value. */
    private int writeRequest(char[] chars, int from, int to, CharArrayWriter out) {
        int method = Escapes.indexOf(' ', chars, from, to);
        int version = versionStart(chars, method, to);
        if (method < version && isMethod(chars, from, method) && isTarget(chars, method + 1, version)) {
            return writeText(Kind.TARGET, chars, from, method + 1, version, out);
        }
        return writeValue(REQUEST, chars, from, from, to, out);
    }

    private int writeTarget(char[] chars, int from, int to, CharArrayWriter out) {
        return isTarget(chars, from, to) ? writeText(Kind.TARGET, chars, from, from, to, out)
                : writeValue(PATH, chars, from, from, to, out);
    }

    private int writeText(Kind kind, char[] chars, int from, int text, int to, CharArrayWriter out) {
        int at = start(kind, chars, text, to);
        int done = from;
        for (int values = 1; at < to; values++) {
            boolean isOne = values < MOST_VALUES;
            int end = isOne ? Escapes.indexOf('&', chars, at, to) : to;
            done = onlyNamed ? writeNamed(chars, done, at, end, out) : writeAny(isOne, chars, done, at, end, out);
            at = end + 1;
        }
        return done;
    }

    /**
     * Where parameters begin: behind the first {@code ?}, or a {@code ;} or {@code &} before it, which some servers take
     * for the same, or a {@code #}. A form begins at its start. Names are looked for everywhere.
     */
    private int start(Kind kind, char[] chars, int from, int to) {
        boolean hasValue = (kind == Kind.FIELD || onlyNamed) && Escapes.indexOf('=', chars, from, to) < to;
        if (onlyNamed) {
            return hasValue ? from : to;
        }
        if (kind == Kind.FORM) {
            return from;
        }
        boolean isUrl = kind != Kind.FIELD || (isUrl(chars, from, to) && !(hasValue && isForm(chars, from, to)));
        if (!isUrl && hasValue) {
            return from;
        }
        int at = from;
        while (at < to && !(isUrl ? isMark(chars[at]) : chars[at] == '?' || chars[at] == '#')) {
            at++;
        }
        return Math.min(at + 1, to);
    }

    private int writeAny(boolean isOne, char[] chars, int done, int from, int to, CharArrayWriter out) {
        int mark = from;
        while (mark < to && chars[mark] != '=' && !isMark(chars[mark])) {
            mark++;
        }
        if (!isOne || mark == to || chars[mark] != '=') {
            return writeValue(UNNAMED, chars, done, from, to, out);
        }
        Label label = named.find(chars, from, mark);
        if (label == null && staysClear(chars, from, mark, to)) {
            return done;
        }
        if (label == null) {
            label = from == mark ? UNNAMED : label(new String(chars, from, mark - from));
        }
        return writeValue(label, chars, done, mark + 1, to, out);
    }

    private Label label(String name) {
        Label known = labels.get(name);
        if (known == null) {
            known = Label.fit(name);
            if (name.length() <= LONGEST_KEPT && labels.size() < MOST_LABELS) {
                labels.put(name, known);
            }
        }
        return known;
    }

    /** A value in the clear has nothing in it that some server takes for another parameter. */
    private boolean staysClear(char[] chars, int from, int equals, int to) {
        return !clear.isEmpty() && clear.contains(new String(chars, from, equals - from))
                && !hasMark(chars, equals + 1, to);
    }

    private int writeNamed(char[] chars, int done, int from, int to, CharArrayWriter out) {
        int name = from;
        boolean isName = true;
        for (int at = from; at < to; at++) {
            if (isMark(chars[at])) {
                name = at + 1;
                isName = true;
            } else if (chars[at] == '=' && isName) {
                isName = false;
                Label label = named.find(chars, name, at);
                if (label != null) {
                    return writeValue(label, chars, done, at + 1, to, out);
                }
            }
        }
        return done;
    }

    private int writeValue(Label label, char[] chars, int done, int from, int to, CharArrayWriter out) {
        if (from == to) {
            return done;
        }
        out.write(chars, done, from - done);
        values.write(label, chars, from, to, out);
        return to;
    }

    /** The text that a server writes if there is nothing. */
    static boolean isNothing(char[] chars, int from, int to) {
        return from == to || (to == from + 1 && chars[from] == '-');
    }

    private static boolean hasMark(char[] chars, int from, int to) {
        for (int at = from; at < to; at++) {
            if (isMark(chars[at])) {
                return true;
            }
        }
        return false;
    }

    private static boolean isMark(char unit) {
        return unit == '&' || unit == ';' || unit == '?' || unit == '#';
    }

    private static boolean isMethod(char[] chars, int from, int to) {
        for (int at = from; at < to; at++) {
            if (!isAlphanumeric(chars[at]) && chars[at] != '-' && chars[at] != '_') {
                return false;
            }
        }
        return to > from;
    }

    /** Where {@code  HTTP/1.1} begins behind the method; {@code to} where there is none. */
    private static int versionStart(char[] chars, int method, int to) {
        int at = to;
        while (at > method + 1 && (isDigit(chars[at - 1]) || chars[at - 1] == '.')) {
            at--;
        }
        int start = at - " HTTP/".length();
        return start > method && " HTTP/".contentEquals(new String(chars, start, at - start)) ? start : to;
    }

    /** RFC 9112, section 3.2: a path, {@code *}, a whole URL, or for CONNECT a name and a port. */
    private static boolean isTarget(char[] chars, int from, int to) {
        return (to == from + 1 && chars[from] == '*') || isUrl(chars, from, to);
    }

    /** True if a text is a path, or begins with a scheme (RFC 3986, section 3). */
    private static boolean isUrl(char[] chars, int from, int to) {
        int at = from;
        while (at < to && (isAlphanumeric(chars[at]) || "+-.".indexOf(chars[at]) >= 0)) {
            at++;
        }
        return (from < to && chars[from] == '/') || (at > from && at < to && chars[at] == ':');
    }

    /** True if a field with a value is no URL all the same: it has no query, or only looks as if it had a scheme. */
    private static boolean isForm(char[] chars, int from, int to) {
        int scheme = Escapes.indexOf(':', chars, from, to);
        boolean hasHost = to - scheme > 2 && chars[scheme + 1] == '/' && chars[scheme + 2] == '/';
        return !hasMark(chars, from, to) || !(chars[from] == '/' || hasHost);
    }

    private static boolean isAlphanumeric(char unit) {
        return unit < 128 && Character.isLetterOrDigit(unit);
    }

    private static boolean isDigit(char unit) {
        return unit >= '0' && unit <= '9';
    }
}
