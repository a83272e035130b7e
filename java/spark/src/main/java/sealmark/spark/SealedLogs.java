package sealmark.spark;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.SerializableConfiguration;

/**
 * Jobs on sealed logs.
 *
 * <pre>{@code
 * SealedLogs logs = SealedLogs.on(spark).keys(KeyProvider.file("/etc/sealmark/ops.key"));
 * Opening opening = logs.open(List.of("logs/"), "opened/");
 * opening.warnings().forEach(System.err::println);
 * }</pre>
 *
 * <p>Logs are plain text or compressed with gzip or zstd, in any format. Executors read the keys, and unwrap the keys of the
 * sessions that they meet; the driver, plans and shuffles have wrapped headers only. A job that opens values needs Spark's
 * encryption of disks and network.
 */
public final class SealedLogs {
    private final SparkSession spark;
    private KeyProvider keys;
    private String sessions;
    private boolean isPlaintextSpillAllowed;
    private boolean isForced;

    private SealedLogs(SparkSession spark) {
        this.spark = spark;
    }

    /**
     * Jobs of a Spark application.
     *
     * @param spark runs them
     * @return an object that needs keys to open something
     */
    public static SealedLogs on(SparkSession spark) {
        return new SealedLogs(spark);
    }

    /**
     * Names the keys.
     *
     * @param provider gets them on each executor
     * @return this
     */
    public SealedLogs keys(KeyProvider provider) {
        this.keys = provider;
        return this;
    }

    /**
     * Takes the headers from a table that was kept, and not from the logs: saves reading them twice.
     *
     * @param table an address of Parquet files with the rows of {@link SessionsSource}
     * @return this
     */
    public SealedLogs sessions(String table) {
        this.sessions = table;
        return this;
    }

    /**
     * Opens values even if Spark writes them to disks or sends them over the network in the clear.
     *
     * @return this
     */
    public SealedLogs allowPlaintextSpill() {
        this.isPlaintextSpillAllowed = true;
        return this;
    }

    /**
     * Replaces outputs that exist.
     *
     * @return this
     */
    public SealedLogs force() {
        this.isForced = true;
        return this;
    }

    /**
     * The headers of some logs, or the table that was named.
     *
     * @param inputs files, folders, or patterns of either
     * @return the rows of {@link SessionsSource}
     */
    public Dataset<Row> sessions(List<String> inputs) {
        return sessions != null ? spark.read().parquet(sessions)
                : spark.read().format(SessionsSource.NAME).load(inputs.toArray(String[]::new));
    }

    /**
     * Opens each file into a file of the same name, folder and compression. The outputs appear when all files were read; a job
     * that fails leaves none.
     *
     * @param inputs files, folders, or patterns of either
     * @param output a folder, which is made
     * @return what was opened and what was not
     * @throws IOException if a file cannot be read or written, or an output exists
     */
    public Opening open(List<String> inputs, String output) throws IOException {
        requireOpening();
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        List<LogFile> files = files(inputs);
        LogFiles.requireNames(files);
        Path folder = new Path(output);
        FileSystem system = folder.getFileSystem(hadoop);
        requireFree(system, folder, files);
        Path temporary = new Path(folder, "_sealmark-" + UUID.randomUUID());
        try {
            Broadcast<HeaderTable> headers = context().broadcast(HeaderTable.of(sessions(inputs)));
            Broadcast<SerializableConfiguration> configuration = Hadoop.share(spark);
            OpenTask task = new OpenTask(configuration, headers, keys,
                    system.makeQualified(temporary).toString());
            List<List<LogFile>> groups = groups(files);
            List<OpenTask.Opened> opened = context().parallelize(groups, groups.size()).flatMap(task).collect();
            publish(system, folder, opened);
            return new Opening(opened);
        } finally {
            system.delete(temporary, true);
        }
    }

    private void requireFree(FileSystem system, Path folder, List<LogFile> files) throws IOException {
        for (LogFile file : files) {
            Path target = new Path(folder, file.name());
            if (system.makeQualified(target).toString().equals(file.path())) {
                throw new IllegalArgumentException("\"" + target + "\" is an input and an output\nhint: open into another folder");
            }
            if (!isForced && system.exists(target)) {
                throw new FileAlreadyExistsException("\"" + target + "\" exists\nhint: open into another folder, or add --force");
            }
        }
    }

    private static void publish(FileSystem system, Path folder, List<OpenTask.Opened> opened) throws IOException {
        for (OpenTask.Opened file : opened) {
            if (file.damage() == null) {
                Path target = new Path(folder, file.file().name());
                system.mkdirs(target.getParent());
                system.delete(target, false);
                if (!system.rename(new Path(file.temporary()), target)) {
                    throw new IOException("cannot give the output its name \"" + target + "\"");
                }
            }
        }
    }

    private List<LogFile> files(List<String> inputs) throws IOException {
        List<LogFile> files = LogFiles.list(spark.sparkContext().hadoopConfiguration(), inputs);
        if (files.isEmpty()) {
            throw new FileNotFoundException("no file in " + inputs);
        }
        return files;
    }

    private List<List<LogFile>> groups(List<LogFile> files) {
        return LogFiles.groups(files, spark.sparkContext().defaultParallelism());
    }

    private JavaSparkContext context() {
        return JavaSparkContext.fromSparkContext(spark.sparkContext());
    }

    private void requireOpening() {
        if (keys == null) {
            throw new IllegalStateException("no key given to open the log\nhint: pass the file that holds your secret key with"
                    + " -i; each executor reads it");
        }
        if (!isPlaintextSpillAllowed) {
            SpillGuard.require(spark.sparkContext().conf(), "--allow-plaintext-spill");
        }
    }
}
