package sealmark.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;

/**
 * Opens files, each into a file of the same compression that gets its name when the job is done.
 *
 * @param folder where outputs are until then
 */
record OpenTask(Broadcast<SerializableConfiguration> configuration, Broadcast<HeaderTable> headers, KeyProvider keys,
        String folder) implements FlatMapFunction<List<LogFile>, OpenTask.Opened> {
    /**
     * The result for one file.
     *
     * @param temporary the address of the output; null if the input is damaged and there is none
     * @param damage says what is wrong with the input; null if nothing is
     */
    record Opened(LogFile file, String temporary, Counts counts, String damage) implements Output, Serializable {}

    @Override
    public Iterator<Opened> call(List<LogFile> files) throws IOException {
        Configuration hadoop = configuration.value().value();
        List<Opened> opened = new ArrayList<>();
        try (TaskReader opener = Openers.reader(keys, hadoop, headers.value(), true)) {
            for (LogFile file : files) {
                opened.add(open(opener, file, hadoop));
            }
        }
        return opened.iterator();
    }

    private Opened open(TaskReader opener, LogFile file, Configuration hadoop) throws IOException {
        Counts before = opener.counts();
        // Two attempts of one task may run at a time.
        Path temporary = new Path(folder, file.name() + "." + TaskContext.get().taskAttemptId());
        FileSystem system = temporary.getFileSystem(hadoop);
        try {
            copy(opener, file, system, temporary, hadoop);
        } catch (Compression.Damaged e) {
            system.delete(temporary, false);
            return new Opened(file, null, opener.counts().minus(before), e.getMessage());
        }
        return new Opened(file, temporary.toString(), opener.counts().minus(before), null);
    }

    private static void copy(TaskReader opener, LogFile file, FileSystem system, Path output, Configuration hadoop)
            throws IOException {
        Compression.Text text = Hadoop.text(file, hadoop);
        if (text.compression() == Compression.PARQUET) {
            text.in().close();
            ParquetColumns.open(opener, file, output, hadoop);
            return;
        }
        try (InputStream in = text.in();
                OutputStream out = text.compression().encoder(system.create(output, true), hadoop)) {
            opener.open(in, out);
        }
    }
}
