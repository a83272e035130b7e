package sealmark.spark;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import sealmark.log.reader.HeaderCollector;
import sealmark.log.reader.SealedText;

/**
 * Gives a reader the headers of the sessions whose tokens it meets, and no others: to open a header takes time, and a table may
 * have a thousand times as many. Headers in the text itself count, too, because a kept table may be older.
 */
final class Lacking {
    /** Sessions that are remembered as given; a reader knows no more of them either. */
    private static final int MOST_GIVEN = 1 << 16;
    private static final long MOST_BYTES = 64L << 20;

    private final HeaderTable headers;
    private final Consumer<byte[]> lines;
    private final HeaderCollector collector = new HeaderCollector(this::met);
    private final Set<String> given = new LinkedHashSet<>();
    private final Map<String, List<byte[]>> own = new LinkedHashMap<>();
    private long bytes;
    private int headersGiven;

    /** Gives headers as lines of a log. */
    Lacking(HeaderTable headers, Consumer<byte[]> lines) {
        this.headers = headers;
        this.lines = lines;
    }

    /** Takes note of the headers in a text. */
    void collect(byte[] text, int from, int to) {
        collector.collect(text, from, to);
    }

    /** Gives the headers of the sessions that a text names; false if it gave all of them before, or there is none. */
    boolean give(byte[] text, int from, int to) {
        int before = headersGiven;
        SealedText.sessions(text, from, to, session -> {
            if (given.contains(session)) {
                return;
            }
            List<byte[]> found = new ArrayList<>(headers.of(session));
            found.addAll(own.getOrDefault(session, List.of()));
            found.forEach(header -> lines.accept(HeaderCollector.lines(session, header)));
            headersGiven += found.size();
            given.add(session);
            if (given.size() > MOST_GIVEN) {
                forgetOldest(given.iterator());
            }
        });
        return headersGiven > before;
    }

    /** Keeps a header of the text, within bounds, until a token of its session is met. */
    private void met(String session, byte[] header) {
        given.remove(session);
        own.computeIfAbsent(session, any -> new ArrayList<>()).add(header);
        bytes += header.length;
        for (Iterator<List<byte[]>> oldest = own.values().iterator(); bytes > MOST_BYTES && oldest.hasNext(); ) {
            bytes -= oldest.next().stream().mapToLong(one -> one.length).sum();
            oldest.remove();
        }
    }

    private static void forgetOldest(Iterator<?> oldest) {
        oldest.next();
        oldest.remove();
    }
}
