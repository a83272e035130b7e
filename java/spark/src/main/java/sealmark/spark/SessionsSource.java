package sealmark.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.util.SerializableConfiguration;

/**
 * The data source {@code sealmark-sessions}: a row for each session header in each file of some logs. It needs no key, and the
 * rows are small: kept as Parquet beside the log, they spare later jobs the first pass.
 *
 * <pre>{@code
 * spark.read().format("sealmark-sessions").load("logs/").distinct().write().parquet("sessions.parquet");
 * }</pre>
 */
public final class SessionsSource implements TableProvider, DataSourceRegister {
    /** The name of the source. */
    static final String NAME = "sealmark-sessions";
    /** The session's id, as tokens show it. */
    static final String SESSION = "session";
    /** The header, which wraps the session's key for its readers. */
    static final String HEADER = "header";
    /** The beginning of the session as the header tells it, which nobody has authenticated yet. */
    static final String BEGAN = "began";
    /** The file that has the header. */
    static final String FILE = "file";

    static final StructType SCHEMA = new StructType()
            .add(SESSION, DataTypes.StringType, false)
            .add(HEADER, DataTypes.BinaryType, false)
            .add(BEGAN, DataTypes.TimestampType, true)
            .add(FILE, DataTypes.StringType, false);

    /** Makes a source; Spark calls it. */
    public SessionsSource() {}

    @Override
    public String shortName() {
        return NAME;
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return SCHEMA;
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return new Sessions(inputs(new CaseInsensitiveStringMap(properties)));
    }

    private static List<String> inputs(CaseInsensitiveStringMap options) {
        String several = options.get("paths");
        if (several != null) {
            // Spark gives several inputs as a JSON array of strings.
            return Arrays.asList(Json.strings(several));
        }
        String path = options.get("path");
        if (path == null) {
            throw new IllegalArgumentException("the source " + NAME + " needs a path\nhint: spark.read().format(\"" + NAME
                    + "\").load(\"logs/\")");
        }
        return List.of(path);
    }

    private record Sessions(List<String> inputs) implements Table, SupportsRead {
        @Override
        public String name() {
            return NAME + " " + inputs;
        }

        @Override
        @Deprecated
        public StructType schema() {
            return SCHEMA;
        }

        @Override
        public Set<TableCapability> capabilities() {
            return Set.of(TableCapability.BATCH_READ);
        }

        @Override
        public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
            return () -> new FilesScan(inputs);
        }
    }

    /** The files of one query: listed when it is planned. */
    private record FilesScan(List<String> inputs) implements Scan, Batch {
        @Override
        public StructType readSchema() {
            return SCHEMA;
        }

        @Override
        public Batch toBatch() {
            return this;
        }

        @Override
        public InputPartition[] planInputPartitions() {
            SparkSession spark = SparkSession.active();
            try {
                List<LogFile> files = LogFiles.list(spark.sparkContext().hadoopConfiguration(), inputs);
                return LogFiles.groups(files, spark.sparkContext().defaultParallelism()).stream()
                        .map(SessionsReader.Files::new).toArray(InputPartition[]::new);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public PartitionReaderFactory createReaderFactory() {
            SparkSession spark = SparkSession.active();
            Broadcast<SerializableConfiguration> configuration = Hadoop.share(spark);
            return new SessionsReader.Factory(configuration);
        }

        @Override
        public String description() {
            return NAME + " " + inputs;
        }
    }
}
