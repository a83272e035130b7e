package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BiConsumer;
import sealmark.log.Shape;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;
import sealmark.log.wrap.Base64Url;
import sealmark.log.wrap.HeaderParts;

/**
 * Collects the headers in logs, without a key: they wrap the keys of sessions, and can be kept beside the log. Memory is
 * bounded for any log, as an opener's is.
 */
public final class HeaderCollector {
    private final BiConsumer<String, byte[]> headers;
    private final Collector collector = new Collector();

    /**
     * Collects headers of one log or several.
     *
     * @param headers gets the id of a session and its header, as soon as the last part was met; rarely twice
     */
    public HeaderCollector(BiConsumer<String, byte[]> headers) {
        this.headers = headers;
    }

    /**
     * Looks for parts of headers.
     *
     * @param text has whole lines from {@code from} to {@code to - 1}
     * @param from the first byte
     * @param to the place after the last byte
     */
    public void collect(byte[] text, int from, int to) {
        // The grammar would look at all characters of tokens, and most of a log is tokens.
        for (int at = Sessions.part(text, from, to); at < to; at = Sessions.part(text, at + 1, to)) {
            if (Grammar.at(text, at, to) instanceof Found.Part part) {
                collector.add(part).filter(header -> isOf(part.session, header))
                        .ifPresent(header -> headers.accept(part.session, header));
            }
        }
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

    /**
     * A header as lines of a log, from which an opener learns it.
     *
     * @param session the id
     * @param header a header that was collected
     * @return lines, each with its line feed
     */
    public static byte[] lines(String session, byte[] header) {
        return HeaderParts.lines(session, header, Shape.PLAIN).getBytes(US_ASCII);
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
