package sealmark.log.reader;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BiConsumer;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;
import sealmark.log.wrap.Base64Url;

/**
 * Collects the headers in logs, without a key: they wrap the keys of sessions, and can be kept beside the log. Memory is bounded
 * for any log, as an opener's is.
 */
public final class HeaderCollector {
    private final BiConsumer<String, byte[]> headers;
    private final Collector collector = new Collector();

    /**
     * Collects headers of one log or several.
     *
     * @param headers gets each header as soon as its last part was met, with the id of its session; rarely twice
     */
    public HeaderCollector(BiConsumer<String, byte[]> headers) {
        this.headers = headers;
    }

    /**
     * Reads a log to its end, and does not close it; lines of more than 16 MiB are not looked at.
     *
     * @param log a log or a side file
     * @throws IOException from the stream
     */
    public void collect(InputStream log) throws IOException {
        new LineReader(log, LineReader.LONGEST).readTo(this::line);
    }

    /**
     * The time at which a session began, as its header tells it; anybody can write a header with any time.
     *
     * @param header a whole header
     * @return empty if it tells none
     */
    public static Optional<Instant> claimedTime(byte[] header) {
        try {
            return Optional.ofNullable(HeaderReader.facts(header).began());
        } catch (HeaderException malformed) {
            return Optional.empty();
        }
    }

    private void line(byte[] text, int from, int to) {
        if (!hasPart(text, from, to)) {
            return;
        }
        Grammar grammar = new Grammar(text, from, to);
        for (Found found = grammar.next(); found != null; found = grammar.next()) {
            if (found instanceof Found.Part part) {
                collector.add(part).filter(header -> isOf(part.session, header))
                        .ifPresent(header -> headers.accept(part.session, header));
            }
        }
    }

    /** Most lines have tokens and no part: the grammar would look at all their characters. */
    private static boolean hasPart(byte[] text, int from, int to) {
        for (int at = Grammar.start(text, from, to); at < to; at = Grammar.start(text, at + 1, to)) {
            if (text[at + Grammar.SUITE] == 'h') {
                return true;
            }
        }
        return false;
    }

    /** No key opens a malformed header, or one of another session. */
    private static boolean isOf(String session, byte[] header) {
        try {
            return Arrays.equals(ParsedHeader.parse(header).id(), Base64Url.decode(session));
        } catch (HeaderException malformed) {
            return false;
        }
    }
}
