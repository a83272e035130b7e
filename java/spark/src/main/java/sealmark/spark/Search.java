package sealmark.spark;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.CollectionAccumulator;

/** The result of {@link SealedLogs#grep}. */
public final class Search {
    static final StructType SCHEMA = new StructType().add("file", DataTypes.StringType, false)
            .add("offset", DataTypes.LongType, false).add("line", DataTypes.LongType, false)
            .add("text", DataTypes.StringType, false);

    private final Dataset<Row> lines;
    private final CollectionAccumulator<OpenTask.Opened> unopened;

    Search(Dataset<Row> lines, CollectionAccumulator<OpenTask.Opened> unopened) {
        this.lines = lines;
        this.unopened = unopened;
    }

    /**
     * The lines that were found. The logs are searched when an action runs, and again for each action.
     *
     * @return a table of the columns file, offset, line, text; the offset is that of the line in the file's text
     */
    public Dataset<Row> lines() {
        return lines;
    }

    /**
     * Says, after an action, how many tokens were not searched because they did not open.
     *
     * @return what {@link Opening} says of them
     */
    public Opening unopened() {
        return new Opening(List.copyOf(unopened.value()), "searched to its end");
    }
}
