package sealmark.log.read;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parts that wait for others, within bounds: the oldest session goes first (spec/record.md, "In the log"). */
final class Collector {
    /** Sessions whose headers are incomplete, or complete and closed to us. */
    static final int MOST_SESSIONS = 1024;
    /** Bytes of all parts that are kept. */
    static final long MOST_BYTES = 64 << 20;

    /** What a part costs besides its bytes. */
    private static final int OVERHEAD = 256;
    /** Bytes of headers that are put together for one session, and how many there may be at least. */
    private static final int MOST_TRIED = 1 << 20;
    private static final int LEAST_TRIES = 4;

    private final Map<String, Waiting> sessions = new LinkedHashMap<>();
    private long bytes;

    /** The headers of one session, by the number of their parts. */
    private static final class Waiting {
        private final Map<Integer, HeaderParts> headers = new HashMap<>();
        private long bytes;
        private int tries;
        private long tried;

        boolean mayTry(int length) {
            return tries < LEAST_TRIES || tried + length <= MOST_TRIED;
        }
    }

    /** Adds a part, and returns the headers that it completes, likeliest first. */
    List<byte[]> add(Found.Part part) {
        byte[] text = new byte[Math.max(0, part.decodedLength())];
        if (part.decode(text, 0) < 0 || !isWanted(part, text)) {
            return List.of();
        }
        Waiting waiting = roomFor(part.session, text.length + OVERHEAD);
        HeaderParts header = waiting.headers.computeIfAbsent(part.of, HeaderParts::new);
        header.add(part.number, text);
        waiting.bytes += text.length + OVERHEAD;
        bytes += text.length + OVERHEAD;
        return headers(waiting, header, part.number);
    }

    /** Forgets a session whose key is known. */
    void forget(String session) {
        Waiting waiting = sessions.remove(session);
        bytes -= waiting == null ? 0 : waiting.bytes;
    }

    int sessions() {
        return sessions.size();
    }

    long bytes() {
        return bytes;
    }

    private boolean isWanted(Found.Part part, byte[] text) {
        Waiting waiting = sessions.get(part.session);
        HeaderParts header = waiting == null ? null : waiting.headers.get(part.of);
        return header == null || header.wants(part.number, text);
    }

    /** Forgets the oldest sessions, this one too where it is the oldest, until a part fits. */
    private Waiting roomFor(String session, int more) {
        int others = MOST_SESSIONS - (sessions.containsKey(session) ? 0 : 1);
        Iterator<Waiting> oldest = sessions.values().iterator();
        while (oldest.hasNext() && (sessions.size() > others || bytes + more > MOST_BYTES)) {
            bytes -= oldest.next().bytes;
            oldest.remove();
        }
        return sessions.computeIfAbsent(session, any -> new Waiting());
    }

    /** Within what may be tried for one session. */
    private static List<byte[]> headers(Waiting waiting, HeaderParts parts, int number) {
        List<byte[]> headers = new ArrayList<>();
        int count = parts.combinations(number);
        for (int index = 0; index < count && waiting.mayTry(0); index++) {
            byte[] header = parts.combination(number, index);
            if (header.length > 0 && waiting.mayTry(header.length)) {
                waiting.tries++;
                waiting.tried += header.length;
                headers.add(header);
            }
        }
        return headers;
    }
}
