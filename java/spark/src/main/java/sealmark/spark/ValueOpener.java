package sealmark.spark;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;

/**
 * Opens values within a task of a query. It travels with the plan, so it has wrapped headers and the place of the keys only;
 * the opener is made in the task, and wiped at its end.
 */
final class ValueOpener implements Serializable {
    private static final long serialVersionUID = 1;

    private final Broadcast<SerializableConfiguration> configuration;
    private final Broadcast<HeaderTable> headers;
    private final KeyProvider keys;
    private transient volatile TaskReader opener;

    ValueOpener(Broadcast<SerializableConfiguration> configuration, Broadcast<HeaderTable> headers, KeyProvider keys) {
        this.configuration = configuration;
        this.headers = headers;
        this.keys = keys;
    }

    /** The opener of the task; rows are many, so that it takes no lock. */
    TaskReader get() {
        TaskReader made = opener;
        return made == null ? make() : made;
    }

    private synchronized TaskReader make() {
        if (opener == null) {
            TaskContext task = TaskContext.get();
            if (task == null) {
                // The optimizer computes calls on literals, and would put the value into the plan and the event log.
                throw new IllegalStateException("a sealed literal is not opened, because plans and event logs would have its"
                        + " value\nhint: select from a table or a file");
            }
            try {
                opener = Openers.reader(keys, configuration.value().value(), headers.value(), true);
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
            task.addTaskCompletionListener((TaskCompletionListener) ended -> opener.close());
        }
        return opener;
    }

    /** Two calls of a query are one to Spark if they are equal, for example in its columns and in its grouping. */
    @Override
    public boolean equals(Object other) {
        return other instanceof ValueOpener that && keys.equals(that.keys) && headers.id() == that.headers.id();
    }

    @Override
    public int hashCode() {
        return Objects.hash(keys, headers.id());
    }

    /** Says nothing of keys: plans show it. */
    @Override
    public String toString() {
        return "sealmark";
    }
}
