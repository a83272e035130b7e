package sealmark.log.reader;

import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import sealmark.log.grammar.Found;
import sealmark.log.wrap.HeaderParts;

/** Parts that wait for others, within bounds: the oldest session goes first (spec/record.md, "In the log"). */
final class Collector {
    /** Sessions whose headers are incomplete, or complete and closed to us. */
    static final int MOST_SESSIONS = 1024;
    /** Bytes of all parts that are kept. */
    static final long MOST_BYTES = 64 << 20;

    /** The memory that a part takes besides its bytes. */
    private static final int OVERHEAD = 256;
    /**
     * Headers of one session that are remembered as tried, so that a repeated one costs no second decapsulation. More
     * are tried, since false headers in front of the true one must not close a session.
     */
    private static final int MOST_TRIED = 16;
    private static final int MOST_HEADER = 1_900_000;

    private final Map<String, Waiting> sessions = new LinkedHashMap<>();
    private long bytes;

    /** A header by its digest and the number of its parts. */
    private record Name(String digest, int of) {}

    /** The headers of one session that are not whole. */
    private static final class Waiting {
        final Map<Name, TreeMap<Integer, byte[]>> headers = new HashMap<>();
        final Deque<Name> tried = new ArrayDeque<>();
        long bytes;
    }

    /**
     * Adds a part, and returns the header that it completes. The first text of a part is kept, until the header that it
     * completes has another digest: then all its parts are forgotten.
     */
    Optional<byte[]> add(Found.Part part) {
        byte[] text = part.body().orElse(null);
        if (text == null) {
            return Optional.empty();
        }
        Waiting waiting = roomFor(part.session, text.length + OVERHEAD);
        Name name = new Name(part.digest, part.of);
        if (waiting.tried.contains(name)) {
            return Optional.empty();
        }
        TreeMap<Integer, byte[]> texts = waiting.headers.computeIfAbsent(name, any -> new TreeMap<>());
        if (texts.putIfAbsent(part.number, text) == null) {
            count(waiting, text.length + OVERHEAD);
        }
        return texts.size() < part.of ? Optional.empty() : whole(waiting, name);
    }

    private Optional<byte[]> whole(Waiting waiting, Name name) {
        TreeMap<Integer, byte[]> texts = waiting.headers.remove(name);
        int length = texts.values().stream().mapToInt(text -> text.length).sum();
        count(waiting, -length - (long) OVERHEAD * texts.size());
        if (length > MOST_HEADER) {
            return Optional.empty();
        }
        ByteArrayOutputStream header = new ByteArrayOutputStream(length);
        texts.values().forEach(header::writeBytes);
        byte[] whole = header.toByteArray();
        if (!HeaderParts.digest(whole).equals(name.digest)) {
            return Optional.empty();
        }
        if (waiting.tried.size() == MOST_TRIED) {
            waiting.tried.removeLast();
        }
        waiting.tried.addFirst(name);
        return Optional.of(whole);
    }

    private void count(Waiting waiting, long more) {
        waiting.bytes += more;
        bytes += more;
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
}
