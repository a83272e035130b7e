package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Optional;
import sealmark.log.Shape;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;
import sealmark.log.wrap.Tally;

/** Opens a log line by line: learns headers, and replaces tokens where they stand. One thread at a time. */
final class LineOpener {
    private final Sessions sessions;
    private final Ledger ledger;
    private final boolean isRaw;

    /** Opens with these keys; knows no session yet. Line breaks in plain places are escaped unless they are to be raw. */
    public LineOpener(LogKeys keys, boolean isRaw) {
        this.isRaw = isRaw;
        this.sessions = new Sessions(keys);
        this.ledger = new Ledger(sessions::facts);
    }

    /** Learns the headers in a text; returns how many parts it met. */
    public int learn(byte[] text, int from, int to) {
        Grammar grammar = new Grammar(text, from, to);
        int parts = 0;
        for (Found found = grammar.next(); found != null; found = grammar.next()) {
            if (found instanceof Found.Part part) {
                sessions.learn(part);
                parts++;
            }
        }
        return parts;
    }

    /** Writes one line with its end: opened, or nothing where it is a line of the log's own. */
    public void open(byte[] text, int from, int to, OutputStream out) throws IOException {
        if (Grammar.start(text, from, to) == to) {
            out.write(text, from, to - from);
            return;
        }
        int end = endOfContent(text, from, to);
        boolean isOwn = isOwn(text, from, end);
        int copied = openTokens(text, from, end, out);
        if (!isOwn) {
            out.write(text, copied, to - copied);
        }
    }

    /** The value of a single token; empty where it does not open. */
    public Optional<byte[]> openToken(byte[] text) {
        if (!(new Grammar(text, 0, text.length).next() instanceof Found.Token token)
                || token.end - token.start != text.length) {
            return Optional.empty();
        }
        try (Value value = value(token)) {
            if (value == null) {
                return Optional.empty();
            }
            ledger.opened(token.session, value.counter());
            return Optional.of(value.bytes());
        }
    }

    /** Says that a line was too long to look at. */
    public void skippedLine() {
        ledger.longLines++;
    }

    /** The counts of what was met so far. */
    public OpenReport report() {
        return ledger.report();
    }

    /** Wipes the keys of all sessions. */
    public void destroy() {
        sessions.destroy();
    }

    private static int endOfContent(byte[] text, int from, int to) {
        int end = to > from && text[to - 1] == '\n' ? to - 1 : to;
        return end > from && text[end - 1] == '\r' ? end - 1 : end;
    }

    /** True if a line, without its end, is nothing but a part or a closing token in one of the two shapes. */
    static boolean isOwn(byte[] text, int from, int to) {
        Found found = new Grammar(text, from, to).next();
        if (!(found instanceof Found.Part || found instanceof Found.Closing)) {
            return false;
        }
        String own = new String(text, found.start, found.end - found.start, ISO_8859_1);
        return Arrays.stream(Shape.values()).map(shape -> shape.line(own).getBytes(ISO_8859_1))
                .anyMatch(line -> Arrays.equals(line, 0, line.length - 1, text, from, to));
    }

    /** Writes a line up to what stands behind its last token, and returns where that is. */
    private int openTokens(byte[] line, int from, int end, OutputStream out) throws IOException {
        Grammar grammar = new Grammar(line, from, end);
        Levels levels = new Levels(line, Levels.objectIn(line, from, end), end);
        int copied = from;
        for (Found found = grammar.next(); found != null; found = grammar.next()) {
            if (found instanceof Found.Token token) {
                Place place = Place.of(token, copied, end, levels);
                int start = token.start - place.quote();
                out.write(line, copied, start - copied);
                copied = openAt(token, place, out) ? token.end + place.quote() : start;
            } else if (found instanceof Found.Closing closing) {
                close(closing);
            } else if (found instanceof Found.CutOff && sessions.isMet(found.session)) {
                ledger.cutOff++;
            }
        }
        return copied;
    }

    private boolean openAt(Found.Token token, Place place, OutputStream out) throws IOException {
        try (Value value = value(token)) {
            if (value == null) {
                return false;
            }
            if (!place.takes(value, token.isJson)) {
                ledger.notText++;
                return false;
            }
            place.write(value, isRaw, out);
            ledger.opened(token.session, value.counter());
            return true;
        }
    }

    /** Null if a token does not open, which is counted. */
    private Value value(Found.Token token) {
        SessionKey key = sessions.key(token.session).orElse(null);
        if (key == null) {
            if (sessions.isClosed(token.session)) {
                ledger.noKey++;
            } else {
                ledger.orphans++;
            }
            return null;
        }
        Value value = key.open(token);
        ledger.tampered += value == null ? 1 : 0;
        return value;
    }

    private void close(Found.Closing closing) {
        sessions.key(closing.session).ifPresent(key -> {
            Tally tally = key.close(closing);
            if (tally == null) {
                ledger.tampered++;
            } else {
                ledger.closed(closing.session, tally);
            }
        });
    }
}
