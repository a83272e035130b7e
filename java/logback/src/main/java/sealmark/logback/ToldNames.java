package sealmark.logback;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggerContextListener;
import ch.qos.logback.core.spi.ContextAware;
import java.util.Collection;
import sealmark.log.NameCounts;

/** Tells of names that match nothing, among Logback's statuses, while it runs and when its configuration ends. */
final class ToldNames implements LoggerContextListener {
    private final NameCounts counts;

    private ToldNames(NameCounts counts) {
        this.counts = counts;
    }

    /**
     * Begins to count.
     *
     * @param owner gets the warnings
     * @param where what the names stand in
     * @param hint a line that can be typed
     */
    static NameCounts of(ContextAware owner, Collection<String> names, String where, String hint) {
        NameCounts counts = new NameCounts(names, told -> owner.addWarn(where + ": " + told + "\nhint: " + hint));
        if (owner.getContext() instanceof LoggerContext context && !names.isEmpty()) {
            context.addListener(new ToldNames(counts));
        }
        return counts;
    }

    @Override
    public boolean isResetResistant() {
        return false;
    }

    @Override
    public void onStart(LoggerContext context) {
        // Counting has begun before.
    }

    @Override
    public void onReset(LoggerContext context) {
        counts.end();
    }

    @Override
    public void onStop(LoggerContext context) {
        // It was reset before.
    }

    @Override
    public void onLevelChange(Logger logger, Level level) {
        // Levels do not matter here.
    }
}
