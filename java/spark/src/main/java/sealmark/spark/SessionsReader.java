package sealmark.spark;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;
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

    /** A query has no result but its rows, so that a damaged file ends it; a job goes on and names the file. */
    private void read(LogFile file) throws IOException {
        UTF8String name = UTF8String.fromString(file.path());
        try {
            Counts counts = collect(file, configuration, (session, header) -> rows.add(new GenericInternalRow(
                    new Object[] {UTF8String.fromString(session), header, began(header), name})));
            if (counts.headers() > 0) {
                LOG.warn("{} headers of \"{}\" left out, because it has too many", counts.headers(), file.path());
            }
        } catch (Compression.Damaged e) {
            throw new IOException(e.getMessage() + ": \"" + file.path() + "\"\nhint: get it again from where it was compressed,"
                    + " or use the job sessions, which reads the other files and as much of this one as it can", e);
        }
    }

    /**
     * Gives the id and the header of each session of a file, within bounds.
     *
     * @return the number of headers beyond the bounds, and of lines that are too long to search
     * @throws Compression.Damaged after the headers before the damage
     */
    static Counts collect(LogFile file, Configuration configuration, BiConsumer<String, byte[]> headers) throws IOException {
        long[] taken = new long[2];
        long[] left = new long[1];
        HeaderCollector collector = new HeaderCollector((session, header) -> {
            taken[1] += header.length;
            if (taken[0] < MOST_HEADERS && taken[1] <= MOST_BYTES) {
                taken[0]++;
                headers.accept(session, header);
            } else {
                left[0]++;
            }
        });
        long longLines = 0;
        Compression.Text text = Hadoop.text(file, configuration);
        try (InputStream in = text.in()) {
            Lines lines = new Lines(in);
            while (text.compression() != Compression.PARQUET && lines.next()) {
                if (lines.kind() == Lines.Kind.WHOLE) {
                    collector.collect(lines.text(), 0, lines.end());
                }
                longLines += lines.kind() == Lines.Kind.LAST_PIECE ? 1 : 0;
            }
        }
        return new Counts(0, 0, 0, 0, 0, 0, longLines, left[0]);
    }

    /** The time in a header in microseconds; null if there is none. */
    static Long began(byte[] header) {
        return HeaderCollector.claimedTime(header).map(SessionsReader::micros).orElse(null);
    }

    private static Long micros(Instant time) {
        // Spark's timestamps end in the year 294247.
        return Math.min(time.getEpochSecond(), Long.MAX_VALUE / MICROS) * MICROS;
    }
}
