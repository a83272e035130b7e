package sealmark.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.SerializableConfiguration;
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
        Configuration hadoop = configuration.value().value();
        List<Row> rows = new ArrayList<>();
        List<Recipient> readers = recipients.stream().map(Recipient::parse).toList();
        try (Openers.Keys opened = Openers.keys(keys, hadoop)) {
            HeaderRewriter rewriter = new HeaderRewriter(opened.identities(), opened.preShared(), readers);
            while (sessions.hasNext()) {
                Row row = sessions.next();
                rewriter.rewrite(row.getAs(SessionsSource.HEADER)).ifPresentOrElse(
                        header -> rows.add(RowFactory.create(row.getAs(SessionsSource.SESSION), header,
                                row.getAs(SessionsSource.BEGAN), row.getAs(SessionsSource.FILE))),
                        () -> left.add(1));
            }
        }
        return rows.iterator();
    }
}
