package sealmark.spark;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.LongAccumulator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sealmark.log.keys.Recipient;

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
    private static final Logger LOG = LoggerFactory.getLogger(SealedLogs.class);
    /** The columns of the source {@code binaryFile}; the content is not read. */
    private static final StructType FILES = StructType.fromDDL(
            "path STRING, modificationTime TIMESTAMP, length BIGINT, content BINARY");

    private final SparkSession spark;
    private final CollectionAccumulator<OpenTask.Opened> unread;
    private KeyProvider keys;
    private String sessions;
    private boolean isPlaintextSpillAllowed;
    private boolean isForced;

    private SealedLogs(SparkSession spark) {
        this.spark = spark;
        this.unread = spark.sparkContext().collectionAccumulator("not read");
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
     * The headers of some logs, or the table that was named. The logs are read when an action runs; {@link #unread} then tells
     * which headers are left out.
     *
     * @param inputs files, folders, or patterns of either
     * @return the rows of {@link SessionsSource}
     * @throws IOException if a file is not there
     */
    public Dataset<Row> sessions(List<String> inputs) throws IOException {
        return sessions != null ? spark.read().parquet(sessions) : sessionsOf(files(inputs));
    }

    private Dataset<Row> sessionsOf(List<LogFile> files) {
        return new SessionsTask(Hadoop.share(spark), unread).rows(spark, groups(files));
    }

    /**
     * Says, after an action on {@link #sessions(List)} or after {@link #rekey}, which files have headers that are left out:
     * after damage, or too many.
     *
     * @return a result without counts of tokens
     */
    public Opening unread() {
        // Spark may read a file again.
        return new Opening(unread.value().stream().distinct().toList(), "read to its end");
    }

    /**
     * Opens each file into a file of the same name, folder and compression. The outputs appear when all files were read. A job
     * that fails leaves none, unless it replaces outputs and fails while it gives them their names.
     *
     * @param inputs files, folders, or patterns of either
     * @param output a folder, which is made
     * @return what was opened and what was not
     * @throws IOException if a file cannot be read or written, or an output exists
     */
    public Opening open(List<String> inputs, String output) throws IOException {
        requireOpening();
        List<LogFile> files = files(inputs);
        LogFiles.requireNames(files);
        Path folder = new Path(output);
        FileSystem system = folder.getFileSystem(spark.sparkContext().hadoopConfiguration());
        requireFree(system, folder, files);
        return open(files, sessions(inputs), system, folder, isForced);
    }

    /**
     * Opens the files of a folder, and each file that is moved into it later: a file is opened once, so it must be complete
     * when it gets its name there. Headers are kept beside the checkpoint, because a later file may lack those of its sessions.
     *
     * @param input a folder
     * @param output a folder, which is made
     * @param checkpoint where Spark remembers which files were opened, not in the input; the same one goes on where the last
     *     query ended
     * @return a query that needs a trigger, and then {@code start()}
     * @throws IOException if a file system cannot be asked
     */
    public DataStreamWriter<Row> openStream(String input, String output, String checkpoint) throws IOException {
        requireOpening();
        if (LogFiles.isIn(qualified(output), qualified(input))) {
            throw new IllegalArgumentException("the output \"" + output + "\" is the input or a folder in it, so that opened"
                    + " files would be read again\nhint: open into another folder");
        }
        if (LogFiles.isIn(qualified(checkpoint), qualified(input))) {
            throw new IllegalArgumentException("the checkpoint \"" + checkpoint + "\" is the input or a folder in it, so that"
                    + " its files would be read as logs\nhint: keep it in another folder");
        }
        VoidFunction2<Dataset<Row>, Long> batch = (files, number) -> openBatch(files, number, input, output, checkpoint);
        return spark.readStream().format("binaryFile").schema(FILES).option("recursiveFileLookup", "true").load(input)
                .select("path").writeStream().option("checkpointLocation", checkpoint).foreachBatch(batch);
    }

    private void openBatch(Dataset<Row> paths, long number, String input, String output, String checkpoint)
            throws IOException {
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        Set<String> wanted = new TreeSet<>();
        paths.collectAsList().forEach(row -> wanted.add(new Path(row.getString(0)).toString()));
        List<LogFile> files = files(List.of(input)).stream().filter(file -> wanted.contains(file.path())).toList();
        files.forEach(file -> wanted.remove(file.path()));
        wanted.forEach(path -> LOG.warn("\"{}\" was not opened: it was removed, or a name in it begins with . or _", path));
        if (files.isEmpty()) {
            return;
        }
        LogFiles.requireNames(files);
        Path folder = new Path(output);
        FileSystem system = folder.getFileSystem(hadoop);
        Path pattern = qualified(input);
        for (LogFile file : files) {
            Path target = system.makeQualified(new Path(folder, file.name()));
            if (LogFiles.isIn(target, pattern)) {
                throw new IllegalArgumentException("the output \"" + target + "\" is in the input folder\nhint: open into"
                        + " another folder");
            }
        }
        Path mark = qualified(checkpoint + "/sealmark-batch");
        // Spark repeats a batch that did not end: then outputs that exist are its own.
        boolean isRepeated = isMarked(mark.getFileSystem(hadoop), mark, number);
        if (!isRepeated) {
            requireFree(system, folder, files);
            try (FSDataOutputStream out = mark.getFileSystem(hadoop).create(mark, true)) {
                out.writeLong(number);
            }
        }
        String known = checkpoint + "/sealmark-sessions";
        sessionsOf(files).write().mode(SaveMode.Append).parquet(known);
        Dataset<Row> headers = spark.read().parquet(known);
        Opening opening = open(files, sessions == null ? headers : headers.unionByName(spark.read().parquet(sessions)),
                system, folder, isForced || isRepeated);
        opening.warnings().forEach(warning -> LOG.warn("{}", warning));
    }

    private static boolean isMarked(FileSystem system, Path mark, long number) throws IOException {
        if (!system.exists(mark)) {
            return false;
        }
        try (FSDataInputStream in = system.open(mark)) {
            return in.readLong() == number;
        } catch (EOFException e) {
            return false;
        }
    }

    private Path qualified(String address) throws IOException {
        Path path = new Path(address);
        return path.getFileSystem(spark.sparkContext().hadoopConfiguration()).makeQualified(path);
    }

    private Opening open(List<LogFile> files, Dataset<Row> headers, FileSystem system, Path folder, boolean isReplacing)
            throws IOException {
        Broadcast<HeaderTable> table = context().broadcast(HeaderTable.of(headers));
        return new Opening(written(files, system, folder, isReplacing,
                temporary -> new OpenTask(Hadoop.share(spark), table, keys, temporary)), "opened");
    }

    /** Runs a task that writes each file to a temporary place, and gives the outputs their names when all are there. */
    private <T extends Output> List<T> written(List<LogFile> files, FileSystem system, Path folder, boolean isReplacing,
            Function<String, FlatMapFunction<List<LogFile>, T>> task) throws IOException {
        Path temporary = new Path(folder, "_sealmark-" + UUID.randomUUID());
        try {
            List<List<LogFile>> groups = groups(files);
            List<T> written = context().parallelize(groups, groups.size())
                    .flatMap(task.apply(system.makeQualified(temporary).toString())).collect();
            if (written.size() != files.size()) {
                throw new IOException("Spark returned " + written.size() + " results for " + files.size() + " files");
            }
            publish(system, folder, isReplacing, written);
            return written;
        } finally {
            system.delete(temporary, true);
        }
    }

    /**
     * Authenticates every token, and judges each session over all files: what is missing, repeated, moved or altered. The order
     * of values is judged within a file.
     *
     * @param inputs files, folders, or patterns of either
     * @return the first 10,000 faults, each with file, byte and line, and the number of all
     * @throws IOException if a file cannot be read
     */
    public Verification verify(List<String> inputs) throws IOException {
        requireOpening();
        List<List<LogFile>> groups = groups(files(inputs));
        VerifyTask task = new VerifyTask(Hadoop.share(spark), headers(inputs), keys);
        return context().parallelize(groups, groups.size()).flatMap(task).mapToPair(part -> part).groupByKey()
                .treeAggregate(new Verification(), Verification::add, Verification::plus);
    }

    /**
     * Searches opened lines. A token that does not open is not searched.
     *
     * @param inputs files, folders, or patterns of either
     * @param pattern as Java's regular expressions are
     * @return the lines
     * @throws IOException if a file is not there
     */
    public Search grep(List<String> inputs, Pattern pattern) throws IOException {
        requireOpening();
        List<List<LogFile>> groups = groups(files(inputs));
        CollectionAccumulator<OpenTask.Opened> unopened = spark.sparkContext().collectionAccumulator("not searched");
        GrepTask task = new GrepTask(Hadoop.share(spark), headers(inputs), keys, pattern, unopened);
        JavaRDD<Row> found = context().parallelize(groups, groups.size()).flatMap(task);
        return new Search(spark.createDataFrame(found, Search.SCHEMA), unopened);
    }

    /**
     * Writes a table of new headers, which other keys open. Tokens and files stay as they are, and so do the headers in them.
     * {@link #unread} then tells which headers of the logs are left out.
     *
     * @param inputs files, folders, or patterns of either
     * @param recipients the public keys of the new readers
     * @param output the address of the table
     * @return how many headers were left out, because none of the keys opens them
     * @throws IOException if a file is not there
     */
    public long rekey(List<String> inputs, List<Recipient> recipients, String output) throws IOException {
        requireOpening();
        LongAccumulator left = spark.sparkContext().longAccumulator("not re-keyed");
        ArrayList<String> readers = new ArrayList<>(recipients.stream().map(Recipient::toString).toList());
        Dataset<Row> sessions = sessions(inputs).dropDuplicates(SessionsSource.SESSION, SessionsSource.HEADER);
        RekeyTask task = new RekeyTask(Hadoop.share(spark), keys, readers, left);
        spark.createDataFrame(sessions.javaRDD().mapPartitions(task), SessionsSource.SCHEMA).write()
                .mode(isForced ? SaveMode.Overwrite : SaveMode.ErrorIfExists).parquet(output);
        return left.value();
    }

    /**
     * Copies each file with the new headers of a table, into a file of the same name, folder and compression. Needs no key.
     *
     * @param inputs files, folders, or patterns of either
     * @param table the address of a table that {@link #rekey} wrote
     * @param output a folder, which is made
     * @return warnings, each with a hint; none if every session has a new header
     * @throws IOException if a file cannot be read or written, or an output exists
     */
    public List<String> rewrite(List<String> inputs, String table, String output) throws IOException {
        return warnings(rewritten(inputs, table, output));
    }

    List<RewriteTask.Rewritten> rewritten(List<String> inputs, String table, String output) throws IOException {
        List<LogFile> files = files(inputs);
        LogFiles.requireNames(files);
        Path folder = new Path(output);
        FileSystem system = folder.getFileSystem(spark.sparkContext().hadoopConfiguration());
        requireFree(system, folder, files);
        Broadcast<HeaderTable> headers = context().broadcast(HeaderTable.of(spark.read().parquet(table)));
        return written(files, system, folder, isForced,
                temporary -> new RewriteTask(Hadoop.share(spark), headers, temporary));
    }

    static List<String> warnings(List<RewriteTask.Rewritten> rewritten) {
        List<String> warnings = new ArrayList<>();
        rewritten.stream().filter(file -> file.damage() != null).forEach(file -> warnings.add(file.damage()
                + ", and was not re-keyed: \"" + file.file().path() + "\"\nhint: get it again from where it was compressed"));
        long left = rewritten.stream().mapToLong(RewriteTask.Rewritten::left).sum();
        if (left > 0) {
            warnings.add(Counts.many(left, "session") + " of files not re-keyed: the header is missing, or no key opens it"
                    + "\nhint: pass another key with -i, or a table that has the header with --sessions");
        }
        long within = rewritten.stream().mapToLong(RewriteTask.Rewritten::within).sum();
        if (within > 0) {
            warnings.add(Counts.many(within, "header part") + " inside longer lines not replaced\nhint: the old keys still open"
                    + " their sessions; open the log and seal it again to change that");
        }
        return warnings;
    }

    private Broadcast<HeaderTable> headers(List<String> inputs) throws IOException {
        return context().broadcast(HeaderTable.of(sessions(inputs)));
    }

    private void requireFree(FileSystem system, Path folder, List<LogFile> files) throws IOException {
        for (LogFile file : files) {
            Path target = new Path(folder, file.name());
            if (system.makeQualified(target).toString().equals(file.path())) {
                throw new IllegalArgumentException("\"" + target + "\" is an input and an output\nhint: open into another"
                        + " folder");
            }
            if (!isForced) {
                requireFree(system, target);
            }
        }
    }

    private static void requireFree(FileSystem system, Path target) throws IOException {
        if (system.exists(target)) {
            throw new FileAlreadyExistsException("\"" + target + "\" exists\nhint: open into another folder, or"
                    + " add --force");
        }
    }

    /** Names the outputs; if one cannot get its name, none is left, unless they replace others, which are gone. */
    private static void publish(FileSystem system, Path folder, boolean isReplacing, List<? extends Output> outputs)
            throws IOException {
        List<Path> named = new ArrayList<>();
        try {
            for (Output file : outputs) {
                if (file.damage() == null) {
                    Path target = new Path(folder, file.file().name());
                    name(system, new Path(file.temporary()), target, isReplacing);
                    named.add(target);
                }
            }
        } catch (IOException | RuntimeException e) {
            for (Path target : isReplacing ? List.<Path>of() : named) {
                system.delete(target, false);
            }
            throw e;
        }
    }

    private static void name(FileSystem system, Path temporary, Path target, boolean isReplacing) throws IOException {
        system.mkdirs(target.getParent());
        if (isReplacing) {
            system.delete(target, false);
        } else {
            requireFree(system, target);
        }
        if (!system.rename(temporary, target)) {
            throw new IOException("cannot give the output its name \"" + target + "\"");
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
            throw new IllegalStateException("no key given to open the log\nhint: pass the file that contains your secret key with"
                    + " -i; each executor reads it");
        }
        if (!isPlaintextSpillAllowed) {
            SpillGuard.require(spark.sparkContext().conf(), "--allow-plaintext-spill");
        }
    }
}
