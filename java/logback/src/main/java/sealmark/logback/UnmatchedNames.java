package sealmark.logback;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.spi.ContextAware;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import sealmark.log.ValueNames;

/** Tells of names that match nothing, among Logback's statuses, while it runs and when its configuration ends. */
final class UnmatchedNames extends ContextListener {
    /** Not kept alive: an appender for each user, as {@code SiftingAppender} makes them, takes its names along. */
    private final List<WeakReference<ValueNames>> all = new ArrayList<>();

    private UnmatchedNames() {}

    /**
     * Begins to count.
     *
     * @param owner gets the warnings
     * @param where what the names stand in
     * @param hint a line that can be typed
     */
    static ValueNames of(ContextAware owner, Collection<String> names, String where, String hint) {
        ValueNames counts = new ValueNames(names, told -> Statuses.warn(owner, where + ": " + told + "\nhint: " + hint));
        if (owner.getContext() instanceof LoggerContext context && !names.isEmpty()) {
            of(context, UnmatchedNames.class, UnmatchedNames::new).add(counts);
        }
        return counts;
    }

    private synchronized void add(ValueNames counts) {
        all.removeIf(one -> one.refersTo(null));
        all.add(new WeakReference<>(counts));
    }

    @Override
    public synchronized void onReset(LoggerContext context) {
        all.stream().map(WeakReference::get).filter(Objects::nonNull).forEach(ValueNames::end);
    }
}
