package sealmark.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Spliterators;
import java.util.stream.StreamSupport;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import sealmark.log.keys.Recipient;
import sealmark.log.reader.HeaderRewriter;

/**
 * Wraps the keys of some sessions for other readers.
 *
 * @param recipients public keys as text
 * @param left counts headers that none of the keys opens
 */
record RekeyTask(Broadcast<SerializableConfiguration> configuration, KeyProvider keys, ArrayList<String> recipients,
        LongAccumulator left) implements FlatMapFunction<Iterator<Row>, Row> {
    @Override
    public Iterator<Row> call(Iterator<Row> sessions) throws IOException {
        List<Recipient> readers = recipients.stream().map(Recipient::parse).toList();
        Openers.Keys opened = Openers.keys(keys, configuration.value().value());
        TaskContext.get().addTaskCompletionListener((TaskCompletionListener) ended -> opened.close());
        return rewritten(new HeaderRewriter(opened.identities(), opened.preShared(), readers), sessions);
    }

    /** Wraps a key when its row is asked for: a partition may have more headers than fit into memory. */
    Iterator<Row> rewritten(HeaderRewriter rewriter, Iterator<Row> sessions) {
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(sessions, 0), false).flatMap(row -> {
            Optional<byte[]> header = rewriter.rewrite(row.getAs(SessionsSource.HEADER));
            left.add(header.isPresent() ? 0 : 1);
            return header.stream().map(found -> RowFactory.create(row.getAs(SessionsSource.SESSION), found,
                    row.getAs(SessionsSource.BEGAN), row.getAs(SessionsSource.FILE)));
        }).iterator();
    }
}
