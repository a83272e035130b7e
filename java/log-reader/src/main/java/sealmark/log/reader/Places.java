package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import sealmark.log.grammar.Grammar;

/**
 * The names that a line gives to the places of its tokens: a member of a JSON object, {@code name=} as in logfmt and queries,
 * or {@code name:} as in LTSV. Where a line gives none, none is made up. Tokens are asked about from left to right.
 */
final class Places {
    /** Matches of an unnamed pattern, parameters of a query, look-alikes and the rest of a line are called so anywhere. */
    private static final Set<String> UNNAMED = Set.of("match", "query", "lookalike", "line");
    /** Libraries choose where they write an exception: a word of its name, or of the one above, begins with one of these. */
    private static final List<String> OF_EXCEPTIONS =
            List.of("cause", "error", "exception", "stack", "suppressed", "throwable", "thrown");
    /** Short forms, which are whole words. */
    private static final List<String> SHORT = List.of("err", "ex", "exc");
    /** A longer name or path is none: it would be put together for each of the tokens in it. */
    private static final int LONGEST = 256;
    /** A value that is nested deeper has no name here. */
    private static final int DEEPEST = 128;

    private final byte[] line;
    private final int from;
    private final int to;
    private final boolean isObject;
    /** Where the last token ended, and its name: a long value is several tokens in a row. */
    private int lastEnd = -1;
    private String lastName;

    /** The walk through the object: how far it came, and the value that was met last, without its quotes. */
    private int at;
    private int valueStart = -1;
    private final Deque<Around> around = new ArrayDeque<>();

    /** An object or array around, and the name that was met last in it; null where it is no text, or too long. */
    private static final class Around {
        final boolean isObject;
        String name;
        /** True if the next string is a name. */
        boolean isNaming;

        Around(boolean isObject) {
            this.isObject = isObject;
            this.isNaming = isObject;
        }
    }

    /** A line from {@code from} to {@code to - 1}, without its end. */
    Places(byte[] line, int from, int to) {
        this.line = line;
        this.from = from;
        this.to = to;
        int object = Levels.objectIn(line, from, to);
        isObject = object >= 0;
        at = isObject ? object : to;
    }

    /** The name of the place of a token, if it is another than the label; null if it fits, or the place has none. */
    String contradict(int start, int end, String label) {
        if (lastEnd != start) {
            lastName = name(start, end);
        }
        lastEnd = end;
        if (lastName == null || UNNAMED.contains(label) || (label.equals("exception") && isOfException(lastName))) {
            return null;
        }
        return fits(lastName, label) ? null : lastName;
    }

    private String name(int start, int end) {
        // A token at the start of a text is not what the text is called.
        boolean fills = end < to && (line[end] == '"' || line[end] == '~');
        String member = isObject ? member(start) : null;
        if (member != null && fills) {
            return member;
        }
        String assigned = assigned(start);
        return assigned == null ? ltsv(start) : assigned;
    }

    private static boolean isOfException(String name) {
        String[] parts = name.split("\\.", -1);
        for (int part = Math.max(0, parts.length - 2); part < parts.length; part++) {
            String one = parts[part];
            if (OF_EXCEPTIONS.stream().anyMatch(word -> hasWord(one, word, false))
                    || SHORT.stream().anyMatch(word -> hasWord(one, word, true))) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasWord(String name, String word, boolean isWhole) {
        String lower = name.toLowerCase(Locale.ROOT);
        for (int at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
            if (isEdge(name, at) && (!isWhole || isEdge(name, at + word.length()))) {
                return true;
            }
        }
        return false;
    }

    /** True between two words of a name, such as those of {@code rootCause} or {@code stack_trace}, and at its ends. */
    private static boolean isEdge(String name, int at) {
        if (!isLetter(name, at - 1) || !isLetter(name, at)) {
            return true;
        }
        boolean isUpper = Character.isUpperCase(name.charAt(at));
        boolean startsWord = isLetter(name, at + 1) && Character.isLowerCase(name.charAt(at + 1));
        return isUpper && (Character.isLowerCase(name.charAt(at - 1)) || startsWord);
    }

    private static boolean isLetter(String name, int at) {
        return at >= 0 && at < name.length() && name.charAt(at) < 128 && Character.isLetter(name.charAt(at));
    }

    /**
     * A label is the whole path or its last names, and has {@code _} where the name has what a label cannot. GELF writes
     * {@code _} before a name.
     */
    private static boolean fits(String written, String label) {
        String name = written.startsWith("_") && !label.startsWith("_") ? written.substring(1) : written;
        // A value within the text of a field is called after both, and a flat name takes the names below it along.
        int shorter = Math.min(name.length(), label.length());
        String longer = name.length() > label.length() ? name : label;
        boolean isAround = longer.length() > shorter && longer.charAt(shorter) == '.';
        if (isAround && isLabelOf(name.substring(0, shorter), label.substring(0, shorter), false)) {
            return true;
        }
        for (int dot = -1; dot < name.length(); dot = name.indexOf('.', dot + 1)) {
            if (isLabelOf(name.substring(dot + 1), label, false)) {
                return true;
            }
            if (name.indexOf('.', dot + 1) < 0) {
                break;
            }
        }
        String decoded = decoded(name);
        int stem = decoded.indexOf('[');
        return isLabelOf(name, label.substring(label.lastIndexOf('.') + 1), false)
                || isLabelOf(decoded.strip(), label, true)
                || (stem >= 0 && isLabelOf(decoded.substring(0, stem).strip(), label, true));
    }

    /** True if the label is what the name becomes as one (spec/record.md, "Values"). */
    private static boolean isLabelOf(String name, String label, boolean isParameter) {
        String start = name.length() > Grammar.LONGEST_LABEL ? name.substring(0, Grammar.LONGEST_LABEL) : name;
        StringBuilder plain = new StringBuilder();
        start.codePoints().forEach(letter -> plain.append(isOfLabels(letter) ? (char) letter : '_'));
        return folded(plain.toString(), isParameter).equals(folded(label, isParameter));
    }

    private static boolean isOfLabels(int letter) {
        return letter < 128 && (Character.isLetterOrDigit(letter) || letter == '.' || letter == '_' || letter == '-');
    }

    /** Lower case, and of parameters {@code _} for what PHP replaces. */
    private static String folded(String name, boolean isParameter) {
        String lower = name.toLowerCase(Locale.ROOT);
        return isParameter ? lower.replace('.', '_') : lower;
    }

    /** The name of a parameter with its percent signs decoded. */
    private static String decoded(String name) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] written = name.getBytes(UTF_8);
        for (int at = 0; at < written.length; at++) {
            int high = at + 2 < written.length && written[at] == '%' ? Character.digit(written[at + 1], 16) : -1;
            int low = high >= 0 ? Character.digit(written[at + 2], 16) : -1;
            if (low >= 0) {
                bytes.write(high << 4 | low);
                at += 2;
            } else {
                bytes.write(written[at] == '+' ? ' ' : written[at]);
            }
        }
        return bytes.toString(UTF_8);
    }

    /** {@code name=}, and maybe a quote, right before a token. */
    private String assigned(int start) {
        int end = start;
        if (end > from && line[end - 1] == '"') {
            end -= end - 1 > from && line[end - 2] == '\\' ? 2 : 1;
        }
        if (end == from || line[end - 1] != '=') {
            return null;
        }
        int first = nameStart(end - 1);
        if (first > from && " \t?&;,\"'{([|<".indexOf(line[first - 1]) < 0) {
            return null;
        }
        String name = text(first, end - 1);
        // Text before the first key of a line, or of a list, is no part of it.
        return name == null ? null : name.replaceFirst("^[\ufeff\\[]+", "");
    }

    /** {@code name:} at the start of the line or after a tab. */
    private String ltsv(int start) {
        if (start == from || line[start - 1] != ':') {
            return null;
        }
        int first = nameStart(start - 1);
        return first == from || line[first - 1] == '\t' ? text(first, start - 1) : null;
    }

    private int nameStart(int end) {
        int start = end;
        while (start > from && end - start < LONGEST && isOfName(line[start - 1])) {
            start--;
        }
        return start;
    }

    private static boolean isOfName(byte letter) {
        return letter < 0 || Character.isLetterOrDigit(letter) || "._-%[]@/".indexOf(letter) >= 0;
    }

    /** Null if it is empty or no text. */
    private String text(int start, int end) {
        if (start >= end) {
            return null;
        }
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(line, start, end - start)).toString();
        } catch (CharacterCodingException notText) {
            return null;
        }
    }

    /** The path of the member whose value is a string that begins at {@code start}; null if there is none. */
    private String member(int start) {
        while (valueStart < start && at < start) {
            if (!step()) {
                // Lost: looking again for each token would take ages.
                at = to;
            }
        }
        return valueStart == start ? path() : null;
    }

    /** Goes behind the next bracket, comma or string; false if there is none, or the line is no JSON. */
    private boolean step() {
        while (at < to && "\"{}[],".indexOf(line[at]) < 0) {
            at++;
        }
        if (at == to) {
            return false;
        }
        byte letter = line[at];
        if (letter == '"') {
            return string();
        }
        switch (letter) {
            case '{', '[' -> around.addLast(new Around(letter == '{'));
            case ',' -> {
                if (!around.isEmpty()) {
                    around.getLast().isNaming = around.getLast().isObject;
                }
            }
            default -> around.pollLast();
        }
        at++;
        return around.size() <= DEEPEST;
    }

    private boolean string() {
        int start = at + 1;
        int end = start;
        while (end < to && line[end] != '"') {
            end += line[end] == '\\' ? 2 : 1;
        }
        if (end >= to) {
            return false;
        }
        int before = at - 1;
        at = end + 1;
        Around inner = around.peekLast();
        if (inner != null && inner.isNaming) {
            int next = at;
            while (next < to && Levels.isSpace(line[next])) {
                next++;
            }
            inner.isNaming = false;
            inner.name = end - start + 2 > LONGEST ? null : unescaped(start, end);
            return next < to && line[next] == ':';
        }
        while (before >= from && Levels.isSpace(line[before])) {
            before--;
        }
        // Quotes of a line that is no JSON, in which somebody wrote a bracket, are no members.
        if (before < from || ":,[".indexOf(line[before]) < 0) {
            return false;
        }
        valueStart = start;
        return true;
    }

    private String unescaped(int start, int end) {
        String text = start == end ? "" : text(start, end);
        return text == null || text.indexOf('\\') < 0 ? text : Json.unescaped(text);
    }

    private String path() {
        List<Around> objects = around.stream().filter(one -> one.isObject).toList();
        if (objects.stream().anyMatch(one -> one.name == null)) {
            return null;
        }
        String path = objects.stream().map(one -> one.name).collect(Collectors.joining("."));
        return path.isEmpty() || path.getBytes(UTF_8).length >= LONGEST ? null : path;
    }
}
