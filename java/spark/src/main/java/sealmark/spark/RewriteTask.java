package sealmark.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;
import sealmark.log.reader.HeaderReplacer;

/** Copies files with new headers, and needs no key for that. */
record RewriteTask(Broadcast<SerializableConfiguration> configuration, Broadcast<HeaderTable> headers, String folder)
        implements FlatMapFunction<List<LogFile>, RewriteTask.Rewritten> {
    /**
     * The result for one file.
     *
     * @param left sessions without a new header
     * @param within parts of headers inside longer lines, which stay
     */
    record Rewritten(LogFile file, String temporary, String damage, long left, long within) implements Output, Serializable {
        int exit() {
            return damage != null ? Exit.DAMAGED : left + within > 0 ? Exit.NO_KEY : Exit.DONE;
        }
    }

    @Override
    public Iterator<Rewritten> call(List<LogFile> files) throws IOException {
        Configuration hadoop = configuration.value().value();
        List<Rewritten> rewritten = new ArrayList<>();
        for (LogFile file : files) {
            Path temporary = new Path(folder, file.name() + "." + TaskContext.get().taskAttemptId());
            try {
                rewritten.add(copy(file, temporary, hadoop));
            } catch (Compression.Damaged e) {
                temporary.getFileSystem(hadoop).delete(temporary, false);
                rewritten.add(new Rewritten(file, null, e.getMessage(), 0, 0));
            }
        }
        return rewritten.iterator();
    }

    private Rewritten copy(LogFile file, Path temporary, Configuration hadoop) throws IOException {
        Compression.Text text = Hadoop.lines(file, hadoop);
        try (InputStream in = text.in();
                OutputStream created = temporary.getFileSystem(hadoop).create(temporary, true);
                OutputStream out = text.compression().encoder(created, hadoop)) {
            HeaderReplacer replacer = new HeaderReplacer(session -> headers.value().of(session).stream().findFirst(), out);
            Lines lines = new Lines(in);
            while (lines.next()) {
                if (lines.kind() == Lines.Kind.WHOLE) {
                    replacer.lines(lines.text(), 0, lines.end());
                } else {
                    replacer.piece(lines.text(), lines.end());
                }
            }
            return new Rewritten(file, temporary.toString(), null, replacer.left(), replacer.within());
        }
    }
}
