package sealmark.log4j2;

import java.beans.PropertyChangeEvent;
import java.beans.PropertyChangeListener;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.spi.LoggerContextShutdownAware;
import org.apache.logging.log4j.status.StatusLogger;
import sealmark.log.ValueNames;

/**
 * Does what is to be done when a configuration has ended, because Log4j stops or reads another one: there is one for each
 * context, however often it is configured anew.
 */
final class Endings implements LoggerContextShutdownAware, PropertyChangeListener {
    private static final String KEY = Endings.class.getName();

    private final List<Ending<?>> endings = new ArrayList<>();

    private record Ending<T>(Configuration configuration, WeakReference<T> of, Consumer<T> task) {
        void run() {
            T still = of.get();
            if (still != null) {
                task.accept(still);
            }
        }
    }

    private Endings() {}

    /**
     * Runs a task when the appenders of a configuration have stopped: what was queued is written by then.
     *
     * @param of what the task is for, and is given; where that is forgotten before, as layouts of a {@code RoutingAppender}
     *     are, so is the task
     */
    static <T> void add(Configuration configuration, T of, Consumer<T> task) {
        LoggerContext context = configuration.getLoggerContext();
        if (context != null) {
            of(context).add(new Ending<>(configuration, new WeakReference<>(of), task));
        }
    }

    /**
     * Names that tell the status logger if they match nothing, while Log4j runs and when the configuration ends.
     *
     * @param configuration null if it is not known: nothing is told at the end then
     * @param where what the names stand in
     * @param hint a line that can be typed
     */
    static ValueNames names(Configuration configuration, Collection<String> all, String where, String hint) {
        ValueNames names = new ValueNames(
                all, told -> StatusLogger.getLogger().warn("{}: {}\nhint: {}", where, told, hint));
        if (configuration != null && !names.isEmpty()) {
            add(configuration, names, ValueNames::end);
        }
        return names;
    }

    /** Looks at a configuration when it is complete: see {@link WithoutHeaders} and {@link AddedExceptions}. */
    static void watch(Configuration configuration) {
        if (configuration != null && configuration.getLoggerContext() != null) {
            of(configuration.getLoggerContext());
        }
    }

    static Endings of(LoggerContext context) {
        synchronized (context) {
            if (context.getObject(KEY) instanceof Endings known) {
                return known;
            }
            Endings made = new Endings();
            context.putObject(KEY, made);
            context.addShutdownListener(made);
            context.addPropertyChangeListener(made);
            return made;
        }
    }

    private synchronized void add(Ending<?> ending) {
        endings.removeIf(one -> one.of.refersTo(null));
        endings.add(ending);
    }

    /** How many tasks there are. */
    synchronized int size() {
        return endings.size();
    }

    @Override
    public void contextShutdown(org.apache.logging.log4j.spi.LoggerContext context) {
        run(ending -> true);
    }

    /** Log4j calls this also when the old one has queues to empty yet, and then names the same as old and new. */
    @Override
    public void propertyChange(PropertyChangeEvent change) {
        if (change.getPropertyName().equals(LoggerContext.PROPERTY_CONFIG)
                && change.getNewValue() instanceof Configuration configuration) {
            AddedExceptions.hideFrom(configuration);
            WithoutHeaders.tell(configuration, false);
            if (change.getOldValue() != configuration) {
                run(ending -> ending.configuration != configuration);
            }
        }
    }

    private void run(Predicate<Ending<?>> isDue) {
        List<Ending<?>> due;
        synchronized (this) {
            due = endings.stream().filter(isDue).toList();
            endings.removeAll(due);
        }
        due.forEach(Ending::run);
    }
}
