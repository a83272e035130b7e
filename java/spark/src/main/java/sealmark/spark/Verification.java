package sealmark.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.Tuple2;

/** The result of {@link SealedLogs#verify}: executors add up their parts of it. */
public final class Verification implements Serializable {
    private static final long serialVersionUID = 1;

    /** The verdicts on the sessions of all files so far. */
    private final List<SessionVerdict> sessions = new ArrayList<>();
    /**
     * The first faults by place, and others that {@link #cut} removes later. Faults that are removed are only counted, so that no
     * log fills the driver.
     */
    private List<Finding> findings = new ArrayList<>();
    /** The number of faults of each kind, also of those that are not kept. */
    private final Map<String, Long> kinds = new TreeMap<>();
    /** The counts of lines, headers and tokens. */
    private Counts counts = Counts.NONE;
    /** The number of files. */
    private long files;
    /** The number of faults that are not among the findings. */
    private long more;
    /** The number of tokens that were not checked for gaps and order. */
    private long untracked;

    Verification() {}

    /** Adds the findings of one file, or all parts of one session, which it judges. */
    Verification add(Tuple2<String, Iterable<VerifyTask.Part>> group) {
        if (group._2().iterator().next().general() == null) {
            add(SessionVerdict.of(group._1(), group._2()));
        } else {
            group._2().forEach(part -> add(part.general()));
        }
        return this;
    }

    Verification add(VerifyTask.General file) {
        files++;
        counts = counts.plus(file.counts());
        more += file.more();
        untracked += file.untracked();
        add(file.findings());
        if (file.damage() != null) {
            add(List.of(new Finding("damaged", file.file(), 0, 1, null, null, file.damage())));
        }
        return this;
    }

    private void add(SessionVerdict session) {
        more += session.more();
        add(session.findings());
        if (session.isHere()) {
            sessions.add(session.withoutFindings());
        }
    }

    private void add(List<Finding> found) {
        found.forEach(one -> kinds.merge(one.kind(), 1L, Long::sum));
        findings.addAll(found);
        // Sorting and copying after each session would take longer than judging it.
        if (findings.size() > 2 * FileLedger.MOST_FINDINGS) {
            cut();
        }
    }

    Verification plus(Verification other) {
        sessions.addAll(other.sessions);
        findings.addAll(other.findings);
        other.kinds.forEach((kind, number) -> kinds.merge(kind, number, Long::sum));
        counts = counts.plus(other.counts);
        files += other.files;
        more += other.more;
        untracked += other.untracked;
        cut();
        return this;
    }

    private void cut() {
        if (findings.size() > FileLedger.MOST_FINDINGS) {
            findings.sort(Finding.BY_PLACE);
            findings = new ArrayList<>(findings.subList(0, FileLedger.MOST_FINDINGS));
        }
    }

    private List<Finding> findings() {
        cut();
        return findings.stream().sorted(Finding.BY_PLACE).toList();
    }

    /**
     * A row for each fault, of which the first 10,000 by file and place are kept: its kind, the file, the byte in the file's
     * text, the line, the session, the counter of the value, and words.
     *
     * @param spark makes the table
     * @return a table of the columns kind, file, offset, line, session, counter, text
     */
    public Dataset<Row> faults(SparkSession spark) {
        StructType schema = new StructType().add("kind", DataTypes.StringType, false).add("file", DataTypes.StringType, false)
                .add("offset", DataTypes.LongType, false).add("line", DataTypes.LongType, false)
                .add("session", DataTypes.StringType, true).add("counter", DataTypes.LongType, true)
                .add("text", DataTypes.StringType, false);
        List<Row> rows = findings().stream().map(fault -> RowFactory.create(fault.kind(), fault.file(), fault.offset(),
                fault.line(), fault.session(), fault.counter(), fault.text())).toList();
        return spark.createDataFrame(rows, schema);
    }

    /**
     * A row for each session that a key opens.
     *
     * @param spark makes the table
     * @return a table of the columns session, values, closed, counted, missing, earlier, repeated
     */
    public Dataset<Row> sessions(SparkSession spark) {
        StructType schema = new StructType().add("session", DataTypes.StringType, false)
                .add("values", DataTypes.LongType, false).add("closed", DataTypes.BooleanType, false)
                .add("counted", DataTypes.LongType, true).add("missing", DataTypes.LongType, false)
                .add("earlier", DataTypes.LongType, false).add("repeated", DataTypes.LongType, false);
        List<Row> rows = sessions.stream().map(one -> RowFactory.create(one.session(), one.values(), one.isClosed(),
                one.counted() < 0 ? null : one.counted(), one.missing(), one.earlier(), one.repeated())).toList();
        return spark.createDataFrame(rows, schema);
    }

    /**
     * The exit code that {@code sealmark log verify} would end with.
     *
     * @return 0 if nothing is wrong, 2 if something was not checked, 3 if tokens lack a key or a header, 4 if there is a fault
     */
    public int exitCode() {
        boolean isFault = more > 0 || kinds.keySet().stream().anyMatch(kind -> !kind.equals("not checked"));
        boolean isNothing = sessions.isEmpty() && counts.exit() == Exit.DONE;
        if (isFault || isNothing) {
            return Exit.DAMAGED;
        }
        return Math.max(counts.exit(), untracked > 0 ? Exit.IO : Exit.DONE);
    }

    /**
     * The faults, the counts and the verdict in words.
     *
     * @return lines; the last one is the verdict
     */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        List<Finding> named = findings();
        named.forEach(fault -> lines.add(fault.toString()));
        long others = more + kinds.values().stream().mapToLong(Long::longValue).sum() - named.size();
        if (others > 0) {
            lines.add("and " + others + " more");
        }
        if (untracked > 0) {
            lines.add(Counts.many(untracked, "token") + " not checked for gaps and order: there are too many sessions, or"
                    + " values too far out of order");
        }
        long open = sessions.stream().filter(session -> !session.isClosed()).count();
        lines.add(Counts.many(files, "file") + ", " + Counts.many(sessions.size(), "session")
                + (open > 0 ? ", " + open + " of them not closed" : ""));
        lines.add(verdict());
        return lines;
    }

    private String verdict() {
        StringBuilder verdict = new StringBuilder(Counts.many(sum(SessionVerdict::values), "sealed value") + " verified");
        append(verdict, sum(SessionVerdict::missing), "missing");
        append(verdict, sum(SessionVerdict::repeated), "repeated");
        append(verdict, kinds.getOrDefault("out of order", 0L), "out of order");
        append(verdict, counts.cutOff(), "cut off");
        append(verdict, counts.tampered(), "altered");
        append(verdict, sum(SessionVerdict::earlier), "not found (in an older log, or deleted)");
        return verdict + "; text outside tokens is not protected";
    }

    private static void append(StringBuilder verdict, long number, String what) {
        if (number > 0) {
            verdict.append(", ").append(number).append(' ').append(what);
        }
    }

    private long sum(java.util.function.ToLongFunction<SessionVerdict> number) {
        return sessions.stream().mapToLong(number).sum();
    }

    Counts counts() {
        return counts;
    }
}
