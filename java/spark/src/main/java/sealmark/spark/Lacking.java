package sealmark.spark;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import sealmark.log.reader.HeaderCollector;
import sealmark.log.reader.SealedText;

/** Gives a reader the headers of the sessions that it meets, each once: a table may have a thousand times as many. */
final class Lacking {
    /** Sessions that are remembered as given; a reader knows no more of them either. */
    private static final int MOST = 1 << 16;

    private final HeaderTable headers;
    private final Set<String> given = new LinkedHashSet<>();

    Lacking(HeaderTable headers) {
        this.headers = headers;
    }

    /** Gives the headers for a text as lines, before the text is read. */
    void give(byte[] text, int from, int to, Consumer<byte[]> lines) {
        SealedText.sessions(text, from, to, session -> {
            if (given.contains(session)) {
                return;
            }
            given.add(session);
            if (given.size() > MOST) {
                Iterator<String> oldest = given.iterator();
                oldest.next();
                oldest.remove();
            }
            headers.of(session).forEach(header -> lines.accept(HeaderCollector.lines(session, header)));
        });
    }
}
