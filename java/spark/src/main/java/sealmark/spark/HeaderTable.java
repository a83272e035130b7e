package sealmark.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The headers of sessions, wrapped as they are in the logs: it is broadcast, so it never has a key. */
final class HeaderTable implements Serializable {
    private static final long serialVersionUID = 1;

    private final HashMap<String, ArrayList<byte[]>> headers = new HashMap<>();

    static HeaderTable of(Dataset<Row> sessions) {
        HeaderTable table = new HeaderTable();
        for (Row row : sessions.select(SessionsSource.SESSION, SessionsSource.HEADER).distinct().collectAsList()) {
            table.headers.computeIfAbsent(row.getString(0), any -> new ArrayList<>()).add((byte[]) row.get(1));
        }
        return table;
    }

    /** The headers of a session; none if no file has one. */
    List<byte[]> of(String session) {
        return headers.getOrDefault(session, new ArrayList<>());
    }

    @Override
    public String toString() {
        return "HeaderTable(" + headers.size() + " sessions)";
    }
}
