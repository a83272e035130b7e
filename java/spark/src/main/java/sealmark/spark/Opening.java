package sealmark.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** The result of {@link SealedLogs#open}: what was opened, and what was not. */
public final class Opening {
    private static final List<String> COUNTED = List.of("opened", "orphans", "no_key", "tampered", "not_text", "cut_off",
            "long_lines");

    private final List<OpenTask.Opened> files;
    private final String done;

    /**
     * A result.
     *
     * @param done the words for what a job does with a file, and did not do with a damaged one
     */
    Opening(List<OpenTask.Opened> files, String done) {
        this.files = files;
        this.done = done;
    }

    /**
     * A row for each file: its address, how many tokens were opened and how many not, by reason, and the damage that kept it
     * from being opened.
     *
     * @param spark makes the table
     * @return a table of the columns file, opened, orphans, no_key, tampered, not_text, cut_off, long_lines, damage
     */
    public Dataset<Row> files(SparkSession spark) {
        StructType schema = new StructType().add("file", DataTypes.StringType, false);
        for (String name : COUNTED) {
            schema = schema.add(name, DataTypes.LongType, false);
        }
        List<Row> rows = new ArrayList<>();
        for (OpenTask.Opened file : files) {
            Counts of = file.counts();
            rows.add(RowFactory.create(file.file().path(), of.opened(), of.orphans(), of.noKey(), of.tampered(), of.notText(),
                    of.cutOff(), of.longLines(), file.damage()));
        }
        return spark.createDataFrame(rows, schema.add("damage", DataTypes.StringType, true));
    }

    /**
     * The exit code that {@code sealmark log open} would end with.
     *
     * @return 0 if every token was opened, 2 if something was not read, 3 if some lack a key or a header, 4 if tokens were
     *     altered or files are damaged
     */
    public int exitCode() {
        boolean isDamaged = files.stream().anyMatch(file -> file.damage() != null);
        return isDamaged ? Exit.DAMAGED : counts().exit();
    }

    /**
     * The faults in words, each with a hint.
     *
     * @return nothing if every token was opened
     */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        files.stream().filter(file -> file.damage() != null).forEach(file -> warnings.add(file.damage()
                + ", and was not " + done + ": \"" + file.file().path()
                + "\"\nhint: get it again from where it was compressed"));
        files.stream().filter(file -> file.counts().headers() > 0).forEach(file -> warnings.add(
                Counts.many(file.counts().headers(), "header") + " left out, because one file has more than 65,536 headers, or"
                + " 64 MiB of them: \"" + file.file().path()
                + "\"\nhint: split the file, or find who writes false headers into it"));
        warnings.addAll(counts().warnings());
        return warnings;
    }

    Counts counts() {
        return files.stream().map(OpenTask.Opened::counts).reduce(Counts.NONE, Counts::plus);
    }
}
