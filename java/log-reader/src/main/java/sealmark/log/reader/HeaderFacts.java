package sealmark.log.reader;

import java.time.Instant;
import sealmark.log.reader.OpenReport.Previous;

/**
 * The facts that a header tells besides its session's key, under its MAC (spec/record.md, "Header").
 *
 * @param isOrdered whether tokens stand in the log in the order of their counters, which rise by one
 * @param previous the session before it; null if the writer did not know it
 * @param began when it began by the writer's clock; null if the writer did not tell
 */
record HeaderFacts(boolean isOrdered, Previous previous, Instant began) {
    /** The facts of a session that tells nothing. */
    public static final HeaderFacts NONE = new HeaderFacts(false, null, null);
}
