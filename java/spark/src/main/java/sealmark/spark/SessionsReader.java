package sealmark.spark;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sealmark.log.reader.HeaderCollector;

/** Reads the headers of a group of files: whole files, because the parts of a header may be far apart. */
final class SessionsReader implements PartitionReader<InternalRow> {
    /** Headers of one file that are given out; whoever can write to a log can put bogus ones there. */
    static final int MOST_HEADERS = 1 << 16;
    /** Bytes of these. */
    static final long MOST_BYTES = 64L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(SessionsReader.class);
    private static final long MICROS = 1_000_000;

    /** The files of one task. */
    record Files(ArrayList<LogFile> files) implements InputPartition {
        Files(List<LogFile> files) {
            this(new ArrayList<>(files));
        }
    }

    /** Makes a reader on the executor. */
    record Factory(Broadcast<SerializableConfiguration> configuration) implements PartitionReaderFactory {
        @Override
        public PartitionReader<InternalRow> createReader(InputPartition partition) {
            return new SessionsReader(((Files) partition).files(), configuration.value().value());
        }
    }

    private final Iterator<LogFile> files;
    private final Configuration configuration;
    private final Deque<InternalRow> rows = new ArrayDeque<>();

    private SessionsReader(List<LogFile> files, Configuration configuration) {
        this.files = files.iterator();
        this.configuration = configuration;
    }

    @Override
    public boolean next() throws IOException {
        rows.poll();
        while (rows.isEmpty() && files.hasNext()) {
            read(files.next());
        }
        return !rows.isEmpty();
    }

    @Override
    public InternalRow get() {
        return rows.element();
    }

    @Override
    public void close() {
        rows.clear();
    }

    /** A damaged file gives the headers in front of the damage; the job that opens the file tells of it. */
    private void read(LogFile file) throws IOException {
        UTF8String name = UTF8String.fromString(file.path());
        long[] bytes = new long[1];
        HeaderCollector collector = new HeaderCollector((session, header) -> {
            bytes[0] += header.length;
            if (rows.size() < MOST_HEADERS && bytes[0] <= MOST_BYTES) {
                rows.add(new GenericInternalRow(new Object[] {UTF8String.fromString(session), header,
                    HeaderCollector.claimedTime(header).map(SessionsReader::micros).orElse(null), name}));
            }
        });
        Compression.Text text = Hadoop.text(file, configuration);
        try (InputStream in = text.in()) {
            Lines lines = new Lines(in);
            while (text.compression() != Compression.PARQUET && lines.next()) {
                if (lines.kind() == Lines.Kind.WHOLE) {
                    collector.collect(lines.text(), 0, lines.end());
                }
            }
        } catch (Compression.Damaged e) {
            LOG.warn("{} in \"{}\"", e.getMessage(), file.path());
        }
    }

    private static Long micros(Instant time) {
        // Spark's timestamps end in the year 294247.
        return Math.min(time.getEpochSecond(), Long.MAX_VALUE / MICROS) * MICROS;
    }
}
