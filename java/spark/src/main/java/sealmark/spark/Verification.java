package sealmark.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** The result of {@link SealedLogs#verify}. */
public final class Verification {
    private final List<VerifyTask.General> files;
    private final List<SessionVerdict> sessions;
    private final List<Finding> findings = new ArrayList<>();

    Verification(List<VerifyTask.General> files, List<SessionVerdict> sessions) {
        this.files = files;
        this.sessions = sessions.stream().filter(SessionVerdict::isHere).toList();
        files.forEach(file -> findings.addAll(file.findings()));
        sessions.forEach(session -> findings.addAll(session.findings()));
        for (VerifyTask.General file : files) {
            if (file.damage() != null) {
                findings.add(new Finding("damaged", file.file(), 0, 1, null, null, file.damage()));
            }
        }
        findings.sort(Finding.BY_PLACE);
    }

    /**
     * A row for each fault: its kind, the file, the byte in the file's text, the line, the session, the counter of the value,
     * and words.
     *
     * @param spark makes the table
     * @return a table of the columns kind, file, offset, line, session, counter, text
     */
    public Dataset<Row> faults(SparkSession spark) {
        StructType schema = new StructType().add("kind", DataTypes.StringType, false).add("file", DataTypes.StringType, false)
                .add("offset", DataTypes.LongType, false).add("line", DataTypes.LongType, false)
                .add("session", DataTypes.StringType, true).add("counter", DataTypes.LongType, true)
                .add("text", DataTypes.StringType, false);
        List<Row> rows = findings.stream().map(fault -> RowFactory.create(fault.kind(), fault.file(), fault.offset(),
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
        boolean hasMore = files.stream().anyMatch(file -> file.more() > 0)
                || sessions.stream().anyMatch(session -> session.more() > 0);
        boolean isFault = findings.stream().anyMatch(fault -> !fault.kind().equals("not checked"));
        boolean isNothing = sessions.isEmpty() && counts().exit() == Exit.DONE;
        if (isFault || hasMore || isNothing) {
            return Exit.DAMAGED;
        }
        boolean isUnchecked = files.stream().anyMatch(file -> file.untracked() > 0);
        return Math.max(counts().exit(), isUnchecked ? Exit.IO : Exit.DONE);
    }

    /**
     * The faults, the counts and the verdict in words.
     *
     * @return lines; the last one is the verdict
     */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        findings.forEach(fault -> lines.add(fault.toString()));
        long more = files.stream().mapToLong(VerifyTask.General::more).sum()
                + sessions.stream().mapToLong(SessionVerdict::more).sum();
        if (more > 0) {
            lines.add("and " + more + " more");
        }
        long untracked = files.stream().mapToLong(VerifyTask.General::untracked).sum();
        if (untracked > 0) {
            lines.add(Counts.many(untracked, "token") + " not checked for gaps and order: there are too many sessions, or"
                    + " values too far out of order");
        }
        long open = sessions.stream().filter(session -> !session.isClosed()).count();
        lines.add(Counts.many(files.size(), "file") + ", " + Counts.many(sessions.size(), "session")
                + (open > 0 ? ", " + open + " of them not closed" : ""));
        lines.add(verdict());
        return lines;
    }

    private String verdict() {
        StringBuilder verdict = new StringBuilder(Counts.many(sum(SessionVerdict::values), "sealed value") + " verified");
        append(verdict, sum(SessionVerdict::missing), "missing");
        append(verdict, sum(SessionVerdict::repeated), "repeated");
        append(verdict, findings.stream().filter(fault -> fault.kind().equals("out of order")).count(), "out of order");
        append(verdict, counts().cutOff(), "cut off");
        append(verdict, counts().tampered(), "altered");
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
        return files.stream().map(file -> new Counts(0, file.orphans(), file.noKey(), file.tampered(), file.notText(),
                file.cutOff(), file.longLines())).reduce(Counts.NONE, Counts::plus);
    }
}
