package sealmark.log4j2;

import java.util.Collection;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.status.StatusLogger;
import sealmark.log.NameCounts;

/** Tells the status logger of names that match nothing, while Log4j runs and when the configuration ends. */
final class UnmatchedNames {
    private UnmatchedNames() {}

    /**
     * Begins to count.
     *
     * @param configuration null if it is not known: nothing is told at the end then
     * @param where what the names stand in
     * @param hint a line that can be typed
     */
    static NameCounts of(Configuration configuration, Collection<String> names, String where, String hint) {
        NameCounts counts = new NameCounts(
                names, told -> StatusLogger.getLogger().warn("{}: {}\nhint: {}", where, told, hint));
        if (configuration != null && !names.isEmpty()) {
            Endings.add(configuration, counts, NameCounts::end);
        }
        return counts;
    }
}
