package sealmark.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.SerializableConfiguration;

/**
 * Finds lines whose opened text matches a pattern.
 *
 * @param unopened gets the counts of tokens that were not searched, because they did not open, and damage
 */
record GrepTask(Broadcast<SerializableConfiguration> configuration, Broadcast<HeaderTable> headers, KeyProvider keys,
        Pattern pattern, CollectionAccumulator<OpenTask.Opened> unopened) implements FlatMapFunction<List<LogFile>, Row> {
    /** Text that is in every token: in place of one that does not open, a pattern sees another character. */
    private static final Pattern TOKEN = Pattern.compile(
            "~s1[apjq]~[A-Za-z0-9._-]{1,64}~[A-Za-z0-9_-]{16}~[A-Za-z0-9_-]{27,}~");

    @Override
    public Iterator<Row> call(List<LogFile> files) throws IOException {
        Configuration hadoop = configuration.value().value();
        List<Row> found = new ArrayList<>();
        try (TaskReader opener = Openers.reader(keys, hadoop, headers.value(), true)) {
            for (LogFile file : files) {
                Counts before = opener.counts();
                String damage = null;
                try (InputStream in = Hadoop.lines(file, hadoop).in()) {
                    search(opener, file, in, found);
                } catch (Compression.Damaged e) {
                    damage = e.getMessage();
                }
                unopened.add(new OpenTask.Opened(file, null, opener.counts().minus(before), damage));
            }
        }
        return found.iterator();
    }

    private void search(TaskReader opener, LogFile file, InputStream in, List<Row> found) throws IOException {
        Lines lines = new Lines(in);
        long number = 0;
        while (lines.next()) {
            if (lines.kind() != Lines.Kind.WHOLE) {
                number += lines.kind() == Lines.Kind.LAST_PIECE ? 1 : 0;
                opener.skip(lines.kind());
                continue;
            }
            byte[] text = lines.text();
            for (int from = 0; from < lines.end(); ) {
                int end = Lines.end(text, from, lines.end());
                number++;
                byte[] opened = opener.line(Arrays.copyOfRange(text, from, text[end - 1] == '\n' ? end - 1 : end));
                if (opened != null) {
                    String line = new String(opened, UTF_8);
                    if (pattern.matcher(TOKEN.matcher(line).replaceAll("\ufffd")).find()) {
                        found.add(RowFactory.create(file.path(), lines.offset() + from, number, line));
                    }
                }
                from = end;
            }
        }
    }
}
