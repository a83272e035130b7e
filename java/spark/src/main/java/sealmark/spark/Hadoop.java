package sealmark.spark;

import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.SerializableConfiguration;

/** Hadoop's file systems, on the driver and on executors. */
final class Hadoop {
    private Hadoop() {}

    /** The driver's configuration, for executors. */
    static Broadcast<SerializableConfiguration> share(SparkSession spark) {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        return context.broadcast(new SerializableConfiguration(spark.sparkContext().hadoopConfiguration()));
    }

    /**
     * The text of a file as it was when the job began.
     *
     * @throws SourceStream.Failed if the file is not there any more, or was replaced
     */
    static Compression.Text text(LogFile file, Configuration configuration) throws IOException {
        InputStream in = open(file, configuration);
        try {
            return Compression.text(in, configuration);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    /** The text of a log, which has lines. */
    static Compression.Text lines(LogFile file, Configuration configuration) throws IOException {
        Compression.Text text = text(file, configuration);
        if (text.compression() == Compression.PARQUET) {
            text.in().close();
            throw new SourceStream.Failed("\"" + file.path() + "\" is a Parquet file, which has no lines\nhint: name the logs,"
                    + " or use the SQL functions", null);
        }
        return text;
    }

    private static InputStream open(LogFile file, Configuration configuration) throws IOException {
        Path path = new Path(file.path());
        try {
            FileSystem system = path.getFileSystem(configuration);
            FSDataInputStream in = system.open(path);
            FileStatus now = system.getFileStatus(path);
            if (now.getLen() == file.length() && now.getModificationTime() != file.modified()) {
                in.close();
                throw new SourceStream.Failed("\"" + file.path() + "\" was replaced while the job ran\nhint: name logs that"
                        + " were rotated, and that no program changes", null);
            }
            return new SourceStream(in, file);
        } catch (SourceStream.Failed e) {
            throw e;
        } catch (IOException e) {
            throw new SourceStream.Failed("cannot open \"" + file.path() + "\": " + e.getMessage(), e);
        }
    }
}
