package sealmark.spark;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;

/** The tables of sessions that functions use, each broadcast once until its files change. */
final class Known {
    private static final Map<SparkSession, Shared> SHARED = new WeakHashMap<>();

    private record Shared(List<LogFile> files, Broadcast<HeaderTable> headers) {}

    private Known() {}

    /**
     * An opener for one function of a query.
     *
     * @param settings the prefix of the settings, for messages
     */
    static ValueOpener opener(SparkSession spark, KeyProvider keys, String sessions, boolean isSpillAllowed, String settings)
            throws IOException {
        if (keys == null) {
            throw new IllegalStateException("no key given to open values\nhint: set " + settings + "." + KeyOptions.IDENTITY
                    + " to the file of each executor that contains your secret key");
        }
        if (sessions == null) {
            throw new IllegalStateException("no table of sessions given\nhint: make one with the verb sessions of"
                    + " sealmark.spark.Main, and set " + settings + ".sessions to its path");
        }
        if (!isSpillAllowed) {
            SpillGuard.require(spark.sparkContext().conf(), settings + ".allow-plaintext-spill=true");
        }
        return new ValueOpener(Hadoop.share(spark), headers(spark, sessions), keys);
    }

    private static synchronized Broadcast<HeaderTable> headers(SparkSession spark, String sessions) throws IOException {
        List<LogFile> files = LogFiles.list(spark.sparkContext().hadoopConfiguration(), List.of(sessions));
        Shared shared = SHARED.get(spark);
        if (shared == null || !shared.files.equals(files)) {
            JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
            shared = new Shared(files, context.broadcast(HeaderTable.of(spark.read().parquet(sessions))));
            SHARED.put(spark, shared);
        }
        return shared.headers;
    }
}
