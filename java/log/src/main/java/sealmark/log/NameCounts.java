package sealmark.log;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Counts the values that each configured name has matched, and warns of a name that matches nothing: its values may be in the
 * log under another name, in the clear. Adapters of logging frameworks use this.
 *
 * <pre>{@code
 * NameCounts counts = new NameCounts(List.of("email"), warning -> LOGGER.warn(warning));
 * counts.record();            // for each record
 * counts.matched("email");    // for each value
 * }</pre>
 */
public final class NameCounts {
    /** The number of records after which the first warning comes. */
    public static final int RECORDS = 1_000;

    private final TreeMap<String, LongAdder> counts = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final AtomicInteger records = new AtomicInteger();
    private final Consumer<String> warning;

    /**
     * Counts nothing yet.
     *
     * @param names the names, regardless of case
     * @param warning gets one line for all names that match nothing, once after {@link #RECORDS} and once at the end
     */
    public NameCounts(Collection<String> names, Consumer<String> warning) {
        names.forEach(name -> counts.put(name, new LongAdder()));
        this.warning = warning;
    }

    /** A record was looked through, whether or not a name matched. */
    public void record() {
        if (records.get() < RECORDS && records.incrementAndGet() == RECORDS) {
            warn("the first " + RECORDS + " records");
        }
    }

    /**
     * A name has matched.
     *
     * @param name one that was not configured is not counted
     */
    public void matched(String name) {
        LongAdder count = counts.get(name);
        if (count != null) {
            count.increment();
        }
    }

    /** Tells that no record follows. Gives no warning if there was no record. */
    public void end() {
        if (records.get() > 0) {
            warn("any record");
        }
    }

    private void warn(String where) {
        List<String> unmatched =
                counts.entrySet().stream().filter(entry -> entry.getValue().sum() == 0).map(Map.Entry::getKey).toList();
        if (!unmatched.isEmpty()) {
            warning.accept(unmatched.stream().map(name -> "\"" + name + "\"").collect(Collectors.joining(", "))
                    + " matched nothing in " + where);
        }
    }
}
