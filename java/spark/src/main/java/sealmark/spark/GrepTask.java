package sealmark.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import sealmark.log.reader.SealedText;

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
        Found found = new Found(Openers.reader(keys, hadoop, headers.value(), true), files.iterator(), hadoop, pattern,
                unopened::add);
        // A query may want the first lines only.
        TaskContext.get().addTaskCompletionListener((TaskCompletionListener) ended -> found.close());
        return found;
    }

    /** Searches as lines are asked for: a task holds a block of one file, and not all lines that it has found. */
    private static final class Found implements Iterator<Row> {
        private final TaskReader opener;
        private final Iterator<LogFile> files;
        private final Configuration hadoop;
        private final Pattern pattern;
        private final Consumer<OpenTask.Opened> unopened;
        private Row next;
        private boolean isClosed;

        /** The file that is read; null between two. */
        private LogFile file;
        private Counts before;
        private InputStream in;
        private Lines lines;
        private long number;
        /** The part of the block that was not searched. */
        private int from;
        private int to;

        Found(TaskReader opener, Iterator<LogFile> files, Configuration hadoop, Pattern pattern,
                Consumer<OpenTask.Opened> unopened) {
            this.opener = opener;
            this.files = files;
            this.hadoop = hadoop;
            this.pattern = pattern;
            this.unopened = unopened;
        }

        @Override
        public boolean hasNext() {
            try {
                while (next == null && (file != null || files.hasNext())) {
                    search();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
            return next != null;
        }

        @Override
        public Row next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Row row = next;
            next = null;
            return row;
        }

        /** Finds the next line of a file, or else ends the file. */
        private void search() throws IOException {
            String damage = null;
            try {
                if (file == null) {
                    begin();
                }
                next = nextLine();
            } catch (Compression.Damaged e) {
                damage = e.getMessage();
            }
            if (next == null) {
                end(damage);
            }
        }

        private void begin() throws IOException {
            file = files.next();
            before = opener.counts();
            in = Hadoop.lines(file, hadoop).in();
            lines = new Lines(in);
            number = 0;
            from = 0;
            to = 0;
        }

        private void end(String damage) throws IOException {
            unopened.accept(new OpenTask.Opened(file, null, opener.counts().minus(before), damage));
            file = null;
            if (in != null) {
                in.close();
                in = null;
            }
        }

        /** Null at the end of the file. */
        private Row nextLine() throws IOException {
            while (from < to || lines.next()) {
                if (from == to) {
                    from = 0;
                    to = lines.end();
                }
                if (lines.kind() != Lines.Kind.WHOLE) {
                    number += lines.kind() == Lines.Kind.LAST_PIECE ? 1 : 0;
                    opener.skip(lines.kind());
                    from = to;
                    continue;
                }
                int start = from;
                from = Lines.end(lines.text(), start, to);
                number++;
                String line = opened(lines.text(), start, lines.text()[from - 1] == '\n' ? from - 1 : from);
                if (line != null && pattern.matcher(TOKEN.matcher(line).replaceAll("\ufffd")).find()) {
                    return RowFactory.create(file.path(), lines.offset() + start, number, line);
                }
            }
            return null;
        }

        /** Null for a line of the log's own. */
        private String opened(byte[] text, int start, int end) {
            if (!SealedText.mayBeSealed(text, start, end)) {
                return new String(text, start, end - start, UTF_8);
            }
            return opener.line(new HeapText(text, start, end)).map(HeapText::string).orElse(null);
        }

        void close() {
            if (isClosed) {
                return;
            }
            isClosed = true;
            try {
                if (file != null) {
                    end(null);
                }
            } catch (IOException unused) {
                // Nobody wants more of the file.
            } finally {
                opener.close();
            }
        }
    }
}
