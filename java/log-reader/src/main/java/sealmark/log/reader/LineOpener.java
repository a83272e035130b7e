package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Optional;
import sealmark.log.Shape;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;
import sealmark.log.wrap.Tally;

/** Opens lines: replaces tokens where they stand. One thread at a time, beside others that have one of their own. */
class LineOpener {
    private static final byte[] UNKNOWN = "\ufffd".getBytes(UTF_8);

    private final Sessions sessions;
    private final Context context;
    private final Labels labels;
    private final TokenCipher cipher = new TokenCipher();
    private Findings found = new Findings();

    /**
     * Opens lines of these sessions, which learn nothing meanwhile.
     *
     */
    LineOpener(Sessions sessions, Context context, Labels labels) {
        this.sessions = sessions;
        this.context = context;
        this.labels = labels;
    }

    /** The tokens that were met since the last call. */
    Findings findings() {
        Findings all = found;
        found = new Findings();
        return all;
    }

    /** The tokens that were met so far. */
    final Findings seen() {
        return found;
    }

    /** Writes whole lines: opened, and without the log's own. */
    void open(byte[] text, int from, int to, OutputStream out) throws IOException {
        int copied = from;
        int at = Grammar.start(text, from, to);
        while (at < to) {
            int start = Block.lineStart(text, copied, at);
            int end = Block.lineEnd(text, at, to);
            out.write(text, copied, start - copied);
            openLine(text, start, end, out);
            found.isSealed = true;
            copied = end;
            at = Grammar.start(text, end, to);
        }
        out.write(text, copied, to - copied);
    }

    final void openLine(byte[] text, int from, int to, OutputStream out) throws IOException {
        int end = Block.contentEnd(text, from, to);
        boolean isOwn = isOwn(text, from, end);
        int copied = openTokens(text, from, end, isOwn ? OutputStream.nullOutputStream() : out);
        if (!isOwn) {
            out.write(text, copied, to - copied);
        }
    }

    /** The value of a single token; empty where it does not open. */
    Optional<byte[]> openToken(byte[] text, int from, int to) {
        Found.Token token = tokenIn(text, from, to);
        if (token == null) {
            return Optional.empty();
        }
        try (Value value = value(token)) {
            if (value == null) {
                return Optional.empty();
            }
            found.opened(token.session, value.counter());
            return Optional.of(value.bytes());
        }
    }

    /** The token that is all of a text; null if it is something else. */
    static Found.Token tokenIn(byte[] text, int from, int to) {
        boolean isStart = from < to && text[from] == '~' && Grammar.start(text, from, to) == from;
        return isStart && Grammar.at(text, from, to) instanceof Found.Token token && token.end == to ? token : null;
    }

    /** True if a line, without its end, is nothing but a part or a closing token in one of the two shapes. */
    static boolean isOwn(byte[] text, int from, int to) {
        Found first = new Grammar(text, from, to).next();
        if (!(first instanceof Found.Part || first instanceof Found.Closing)) {
            return false;
        }
        String own = new String(text, first.start, first.end - first.start, ISO_8859_1);
        return Arrays.stream(Shape.values()).map(shape -> shape.line(own).getBytes(ISO_8859_1))
                .anyMatch(line -> Arrays.equals(line, 0, line.length - 1, text, from, to));
    }

    /** Writes a line up to what stands behind its last token, and returns where that is. */
    private int openTokens(byte[] line, int from, int end, OutputStream out) throws IOException {
        Grammar grammar = new Grammar(line, from, end);
        Levels levels = new Levels(line, Levels.objectIn(line, from, end), end);
        int copied = from;
        for (Found next = grammar.next(); next != null; next = grammar.next()) {
            if (next instanceof Found.Token token) {
                if (!isWanted(token)) {
                    continue;
                }
                Place place = Place.of(token, copied, end, levels);
                int start = token.start - place.quote();
                out.write(line, copied, start - copied);
                copied = openAt(token, place, out) ? token.end + place.quote()
                        : leaveOut(line, start, token.start, token.end, out);
            } else if (next instanceof Found.CutOff) {
                found.cutOff += sessions.isMet(next.session) ? 1 : 0;
                copied = leaveOut(line, copied, next.start, cutEnd(line, next.start, end), out);
            } else {
                if (next instanceof Found.Closing closing) {
                    close(closing);
                }
                copied = leaveOut(line, copied, next.start, next.end, out);
            }
        }
        return copied;
    }

    /** Takes note of the label of a value that was opened. */
    void openedLabel(String label) {}

    /** The value of a token whose label is wanted; null if it is not, or the token does not open. */
    byte[] openWanted(Found.Token token) {
        if (!isWanted(token)) {
            return null;
        }
        try (Value value = value(token)) {
            return value == null ? null : value.bytes();
        }
    }

    /** Takes note of a value that was opened. */
    void opened(String session, long counter) {
        found.opened(session, counter);
    }

    private boolean isWanted(Found.Token token) {
        String name = labels.isAll() ? null : labels.match(token.label());
        if (name != null) {
            found.labels.add(name);
        }
        return name != null || labels.isAll();
    }

    /**
     * Text that is no value is not searched, and the text around it does not touch. Returns the place up to which the line is
     * done with.
     */
    private int leaveOut(byte[] line, int copied, int start, int end, OutputStream out) throws IOException {
        if (context != Context.SEARCH) {
            return copied;
        }
        out.write(line, copied, start - copied);
        out.write(UNKNOWN, 0, UNKNOWN.length);
        return end;
    }

    /** Where the text ends that may be of a token that was cut off. */
    private static int cutEnd(byte[] line, int start, int to) {
        int end = start + 1;
        int next = Grammar.start(line, end, to);
        while (end < next && (line[end] == '~' || line[end] == '.' || line[end] == '-' || line[end] == '_'
                || (line[end] >= 0 && Character.isLetterOrDigit(line[end])))) {
            end++;
        }
        return end;
    }

    private boolean openAt(Found.Token token, Place place, OutputStream out) throws IOException {
        try (Value value = value(token)) {
            if (value == null) {
                return false;
            }
            if (!place.takes(value, token.isJson)) {
                found.notText++;
                return false;
            }
            place.write(value, token.isJson, context, out);
            opened(token.session, value.counter());
            openedLabel(token.label());
            return true;
        }
    }

    /** Null if a token does not open, which is counted. */
    private Value value(Found.Token token) {
        SessionKey key = sessions.key(token.session).orElse(null);
        if (key == null) {
            if (sessions.isClosed(token.session)) {
                found.noKey++;
            } else {
                found.orphans++;
            }
            return null;
        }
        Value value = key.open(token, cipher);
        found.tampered += value == null ? 1 : 0;
        return value;
    }

    private void close(Found.Closing closing) {
        sessions.key(closing.session).ifPresent(key -> {
            Tally tally = key.close(closing, cipher);
            if (tally == null) {
                found.tampered++;
            } else {
                found.closed.add(new Findings.Closed(closing.session, tally));
            }
        });
    }
}
