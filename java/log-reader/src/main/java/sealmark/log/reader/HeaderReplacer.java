package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import sealmark.log.Shape;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;
import sealmark.log.wrap.HeaderParts;

/**
 * Copies a log with new headers, without a key: each is put where the first part of the old one was, and before the first token
 * of a session that the log has no header of. All other bytes stay.
 */
public final class HeaderReplacer {
    /** Sessions that are told of; the others are not counted. */
    private static final int MOST_LEFT = 1 << 16;

    private final Function<String, Optional<byte[]>> headers;
    private final OutputStream out;
    /** Sessions that have a new header here, and how much of the log was read when it was written last. */
    private final Map<String, Long> replaced = new HashMap<>();
    private final Set<String> left = new HashSet<>();
    /** The session whose old header is being left out, and which of its parts were met. */
    private String current;
    private final Set<Integer> parts = new HashSet<>();
    private long read;
    private long within;

    /**
     * Copies one log.
     *
     * @param headers has the new header of a session by its id; empty if the old one stays
     * @param out gets the log, and is not closed
     */
    public HeaderReplacer(Function<String, Optional<byte[]>> headers, OutputStream out) {
        this.headers = headers;
        this.out = out;
    }

    /**
     * Copies lines.
     *
     * @param text has whole lines from {@code from} to {@code to - 1}
     * @param from the first byte
     * @param to the place after the last byte
     * @throws IOException from the output
     */
    public void lines(byte[] text, int from, int to) throws IOException {
        int copied = from;
        for (int at = Grammar.start(text, from, to); at < to; at = Grammar.start(text, copied, to)) {
            int start = Block.lineStart(text, copied, at);
            int end = Block.lineEnd(text, at, to);
            copy(text, copied, start);
            read += end - start;
            line(text, start, end);
            copied = end;
        }
        copy(text, copied, to);
    }

    /**
     * Copies a piece of a line that is too long to be looked at.
     *
     * @param text has the piece from 0 to {@code to - 1}
     * @param to the place after its last byte
     * @throws IOException from the output
     */
    public void piece(byte[] text, int to) throws IOException {
        copy(text, 0, to);
    }

    /** Ordinary lines end the old header. */
    private void copy(byte[] text, int from, int to) throws IOException {
        if (to > from) {
            current = null;
            read += to - from;
            out.write(text, from, to - from);
        }
    }

    private void line(byte[] text, int from, int to) throws IOException {
        int end = Block.contentEnd(text, from, to);
        Found first = new Grammar(text, from, end).next();
        boolean isOwn = first instanceof Found.Part && LineOpener.isOwn(text, from, end);
        boolean isJson = end > from && text[from] == '{' && text[end - 1] == '}';
        Shape shape = isJson ? Shape.JSON : Shape.PLAIN;
        if (isOwn && first instanceof Found.Part part) {
            Optional<byte[]> header = headers.apply(part.session);
            if (header.isPresent()) {
                replace(part, header.get(), shape);
                return;
            }
            leave(part.session);
        }
        current = null;
        Grammar grammar = new Grammar(text, from, end);
        for (Found found = grammar.next(); found != null; found = grammar.next()) {
            if (found instanceof Found.Part) {
                within += isOwn ? 0 : 1;
            } else if (!replaced.containsKey(found.session) && !(found instanceof Found.CutOff)) {
                Optional<byte[]> header = headers.apply(found.session);
                if (header.isPresent()) {
                    put(found.session, header.get(), shape);
                } else {
                    leave(found.session);
                }
            }
        }
        out.write(text, from, to - from);
    }

    /** Leaves the parts of the old header out. After all of them, another one begins. */
    private void replace(Found.Part part, byte[] header, Shape shape) throws IOException {
        if (part.session.equals(current) && (parts.add(part.number) || parts.size() < part.of)) {
            return;
        }
        current = part.session;
        parts.clear();
        parts.add(part.number);
        Long before = replaced.get(part.session);
        // False parts do not become a header each: the log would swell.
        if (before == null || read - before >= header.length) {
            put(part.session, header, shape);
        }
    }

    private void put(String session, byte[] header, Shape shape) throws IOException {
        replaced.put(session, read);
        out.write(HeaderParts.lines(session, header, shape).getBytes(US_ASCII));
    }

    private void leave(String session) {
        if (left.size() < MOST_LEFT) {
            left.add(session);
        }
    }

    /**
     * The sessions that have no new header.
     *
     * @return how many were met
     */
    public long left() {
        return left.stream().filter(session -> !replaced.containsKey(session)).count();
    }

    /**
     * The parts of headers inside longer lines, which stay: the old keys still open their sessions.
     *
     * @return how many were met
     */
    public long within() {
        return within;
    }
}
