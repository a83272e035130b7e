package sealmark.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import scala.Tuple2;

/**
 * Authenticates the tokens of files, and gives what each has of each session under the session's id, and the rest under the
 * file's address. Opened values go nowhere.
 */
record VerifyTask(Broadcast<SerializableConfiguration> configuration, Broadcast<HeaderTable> headers, KeyProvider keys)
        implements FlatMapFunction<List<LogFile>, Tuple2<String, VerifyTask.Part>> {
    /** The findings of one file: those of a session, or, without one, of its tokens in general. */
    record Part(SessionPiece piece, General general) implements Serializable {}

    /** The findings of one file that need no other file. */
    record General(ArrayList<Finding> findings, Counts counts, long more, long untracked, String damage, String file)
            implements Serializable {}

    @Override
    public Iterator<Tuple2<String, Part>> call(List<LogFile> files) throws IOException {
        Configuration hadoop = configuration.value().value();
        TaskReader tokens = Openers.reader(keys, hadoop, headers.value(), false);
        TaskContext.get().addTaskCompletionListener((TaskCompletionListener) ended -> tokens.close());
        // One file may have a million runs, so that the parts of a file go before the next one is read.
        return files.stream().flatMap(file -> {
            try {
                return read(tokens, file, hadoop).stream();
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }).iterator();
    }

    private static List<Tuple2<String, Part>> read(TaskReader tokens, LogFile file, Configuration hadoop) throws IOException {
        List<Tuple2<String, Part>> parts = new ArrayList<>();
        FileLedger ledger = new FileLedger(file.path(), tokens::facts);
        String damage = null;
        try (InputStream in = Hadoop.lines(file, hadoop).in()) {
            tokens.verify(in, ledger);
        } catch (Compression.Damaged e) {
            damage = e.getMessage();
        }
        ledger.sessions.forEach((session, piece) -> parts.add(new Tuple2<>(session, new Part(piece, null))));
        ledger.named().forEach((session, pieces) ->
                pieces.forEach(piece -> parts.add(new Tuple2<>(session, new Part(piece, null)))));
        // An address is no session, and with one key for all files, one task would hold the findings of all.
        parts.add(new Tuple2<>(file.path(), new Part(null, new General(new ArrayList<>(ledger.findings), ledger.counts(),
                ledger.more, ledger.untracked, damage, file.path()))));
        return parts;
    }
}
