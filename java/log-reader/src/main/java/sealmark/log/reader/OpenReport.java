package sealmark.log.reader;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The counts of the tokens that a {@link LogOpener} met (spec/record.md, "Opening").
 *
 * @param opened tokens that were replaced with their values, repeated ones too
 * @param orphans tokens of sessions whose header was not met
 * @param noKey tokens of sessions whose header none of the keys opens
 * @param tampered tokens that do not authenticate, closing tokens too
 * @param notText tokens that are authentic, but whose value cannot be inside the JSON string that they are in
 * @param cutOff tokens of a known session that were cut off, for example by a full disk or a relay
 * @param longLines lines of more than 16 MiB in a stream, which were not opened, to bound memory
 * @param untracked tokens that were opened, but are in no session's report, because there are too many to tell apart
 * @param sessions the values that are present, by session
 */
public record OpenReport(long opened, long orphans, long noKey, long tampered, long notText, long cutOff,
        long longLines, long untracked, Map<String, SessionReport> sessions) {
    /**
     * True if nothing is known to be wrong: every token was opened, each once, and no value is missing from a session that has
     * a closing token. A session without one crashed, is still running or was cut off. {@code sealmark log verify} also
     * reports tokens that are out of order and sessions that are missing as a whole.
     *
     * @return false if a value is missing or was altered, or a token could not be opened
     */
    public boolean isWhole() {
        return orphans + noKey + tampered + notText + cutOff + longLines + untracked == 0
                && sessions.values().stream().allMatch(SessionReport::isWhole);
    }

    /**
     * The values of a session that were met.
     *
     * @param values different ones that were opened
     * @param repeated tokens whose counter was met before: copies
     * @param closing how many values the session sealed, according to its closing token; empty if none was met
     * @param missing counters of values that were not met: up to the count of the closing token, or else up to the highest
     *     counter met
     * @param beyond values that the closing token does not count
     * @param isOrdered true if the header promises that tokens are in the order of their counters, which is not checked
     * @param previous the previous session, according to the header; empty if the writer did not know it
     * @param began when it began by the writer's clock, according to the header; empty if the header has no time
     */
    public record SessionReport(long values, long repeated, OptionalLong closing, List<Run> missing, long beyond,
            boolean isOrdered, Optional<Previous> previous, Optional<Instant> began) {
        /**
         * True if every value that is known of was met, each once.
         *
         * @return false if one is missing, repeated or beyond the end
         */
        public boolean isWhole() {
            return repeated + beyond == 0 && missing.isEmpty();
        }
    }

    /**
     * The session before another.
     *
     * @param session its id, as its tokens show it
     * @param count one more than its highest counter; empty if the writer did not know it
     */
    public record Previous(String session, OptionalLong count) {}

    /**
     * Counters that follow one another.
     *
     * @param start the first
     * @param end the one after the last
     */
    public record Run(long start, long end) {}
}
