package sealmark.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.SerializableConfiguration;

/**
 * Collects headers for a job, as {@link SessionsReader} does for a query.
 *
 * @param unread gets the files that have headers which the rows lack
 */
record SessionsTask(Broadcast<SerializableConfiguration> configuration, CollectionAccumulator<OpenTask.Opened> unread)
        implements FlatMapFunction<List<LogFile>, Row> {
    /** The time is in microseconds, because a setting of Spark decides which of two classes a timestamp has. */
    private static final StructType ROWS = StructType.fromDDL(
            "session STRING NOT NULL, header BINARY NOT NULL, began BIGINT, file STRING NOT NULL");

    /** The rows of {@link SessionsSource} for groups of files. */
    Dataset<Row> rows(SparkSession spark, List<List<LogFile>> groups) {
        JavaRDD<List<LogFile>> files = JavaSparkContext.fromSparkContext(spark.sparkContext())
                .parallelize(groups, groups.size());
        return spark.createDataFrame(files.flatMap(this), ROWS).withColumn(SessionsSource.BEGAN,
                functions.expr("timestamp_micros(began)"));
    }

    @Override
    public Iterator<Row> call(List<LogFile> files) {
        Configuration hadoop = configuration.value().value();
        // The headers of a file go before the next one is read.
        return files.stream().flatMap(file -> {
            try {
                return read(file, hadoop).stream();
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }).iterator();
    }

    private List<Row> read(LogFile file, Configuration hadoop) throws IOException {
        List<Row> rows = new ArrayList<>();
        Counts counts = Counts.NONE;
        String damage = null;
        try {
            counts = SessionsReader.collect(file, hadoop, (session, header) ->
                    rows.add(RowFactory.create(session, header, SessionsReader.began(header), file.path())));
        } catch (Compression.Damaged e) {
            damage = e.getMessage();
        }
        if (damage != null || counts.exit() != Exit.DONE) {
            unread.add(new OpenTask.Opened(file, null, counts, damage));
        }
        return rows;
    }
}
