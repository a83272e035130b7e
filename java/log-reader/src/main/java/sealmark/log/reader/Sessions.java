package sealmark.log.reader;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;
import sealmark.log.wrap.Base64Url;
import sealmark.log.wrap.SessionSecret;

/** The sessions whose headers were met, within bounds: the oldest are forgotten first. */
final class Sessions {
    static final int MOST_OPEN = 1 << 16;
    /** Anybody can make headers up that none of the keys opens. */
    static final int MOST_CLOSED = 1 << 10;

    private final LogKeys keys;
    /** Learns all headers, too; null if there is none. */
    private NativeOpening nativeOpening;
    private final Collector collector = new Collector();
    private final Map<String, SessionKey> open = new LinkedHashMap<>();
    private final Set<String> closed = new LinkedHashSet<>();
    /** Files that may have headers yet, if a token lacks one. */
    private List<LogFile> more = List.of();
    /** The ids of {@link #open}, in order. */
    private final TreeSet<String> ids = new TreeSet<>();
    private final TokenScan tokens = new TokenScan(this::isMet);

    Sessions(LogKeys keys) {
        this.keys = keys;
    }

    /** Lets native code learn all headers from now on, if there is any. */
    void useNative() {
        nativeOpening = NativeOpening.find(keys);
    }

    /** Opens lines as these sessions do; null if there is no native code. */
    NativeOpening nativeOpening() {
        return nativeOpening;
    }

    /** The key that opens that session. */
    Optional<SessionKey> key(String session) {
        return Optional.ofNullable(open.get(session));
    }

    /** The sessions whose headers the keys open. */
    Set<String> known() {
        return Set.copyOf(open.keySet());
    }

    /** True if the id of such a session begins so. */
    boolean isBeginning(String start) {
        String id = ids.ceiling(start);
        return id != null && id.startsWith(start);
    }

    /** The facts in its header. */
    HeaderFacts facts(String session) {
        return key(session).map(key -> key.facts).orElse(HeaderFacts.NONE);
    }

    /** True if its header was met, whoever opens it. */
    boolean isMet(String session) {
        return open.containsKey(session) || closed.contains(session);
    }

    /** True if its header was met, and none of the keys opens it. */
    boolean isClosed(String session) {
        return closed.contains(session);
    }

    /** Where the next part of a header may begin; {@code to} if there is none. */
    static int part(byte[] text, int from, int to) {
        int at = Grammar.start(text, from, to);
        while (at < to && text[at + Grammar.SUITE] != 'h') {
            at = Grammar.start(text, at + Grammar.SUITE, to);
        }
        return at;
    }

    /** True if a line has a part of a header whose session is not known yet. */
    boolean isNew(byte[] text, int from, int to) {
        return parts(text, from, to).stream().anyMatch(part -> !open.containsKey(part.session));
    }

    /** Learns the headers in a text; returns how many parts it met. */
    int learn(byte[] text, int from, int to) {
        int met = 0;
        int part = part(text, from, to);
        while (part < to) {
            int end = Block.lineEnd(text, part, to);
            int start = Block.lineStart(text, from, part);
            List<Found.Part> parts = parts(text, start, end);
            parts.forEach(this::learn);
            if (nativeOpening != null) {
                nativeOpening.learn(text, start, end);
            }
            met += parts.size();
            part = part(text, end, to);
        }
        return met;
    }

    private static List<Found.Part> parts(byte[] text, int from, int to) {
        List<Found.Part> parts = new ArrayList<>();
        Grammar grammar = new Grammar(text, from, to);
        for (Found found = grammar.next(); found != null; found = grammar.next()) {
            if (found instanceof Found.Part part) {
                parts.add(part);
            }
        }
        return parts;
    }

    /** Lets these files be read once more as soon as a token lacks its header. */
    void mayLearnFrom(List<LogFile> files) {
        more = files;
    }

    /** True if files that were not searched yet may have a header that a token lacks. */
    boolean mayLearnMore() {
        return !more.isEmpty();
    }

    /** Adds the sessions of tokens that lack their header, up to so many in all. */
    void addOrphaned(byte[] text, int from, int to, Set<String> orphaned, int most) {
        tokens.first(text, from, to, session -> {
            if (orphaned.size() < most && !isMet(session)) {
                orphaned.add(session);
            }
            return orphaned.size() >= most;
        });
    }

    /** Learns the headers in all files. A file that cannot be read is told when it is opened. */
    void learnMore() {
        List<LogFile> files = more;
        more = List.of();
        for (LogFile file : files) {
            try (InputStream in = file.open()) {
                learn(in);
            } catch (IOException isTold) {
                // Its turn comes, or came.
            }
        }
    }

    /** Learns the headers in a log or a side file; returns how many parts it met. */
    int learn(InputStream in) throws IOException {
        BlockReader reader = new BlockReader(in, 0);
        int parts = 0;
        byte[] next = new byte[BlockReader.SIZE];
        for (Block block = reader.next(next); block != null; block = reader.next(next)) {
            parts += block.isLines() ? learn(block.text(), block.from(), block.to()) : 0;
            next = block.text();
        }
        return parts;
    }

    void learn(Found.Part part) {
        if (open.containsKey(part.session)) {
            return;
        }
        collector.add(part).ifPresent(header -> learn(part.session, header));
        if (open.containsKey(part.session)) {
            collector.forget(part.session);
        }
    }

    private void learn(String session, byte[] header) {
        byte[] id = Base64Url.decode(session);
        try (SessionSecret secret = HeaderReader.open(header, id, keys)) {
            addOpen(session, new SessionKey(secret.valueKey(), HeaderReader.facts(header)));
        } catch (HeaderException error) {
            // A header that is refused is none.
            if (error.reason() == HeaderException.Reason.NO_KEY) {
                addClosed(session);
            }
        }
    }

    private void addOpen(String session, SessionKey key) {
        closed.remove(session);
        open.put(session, key);
        ids.add(session);
        if (open.size() > MOST_OPEN) {
            Iterator<Map.Entry<String, SessionKey>> oldest = open.entrySet().iterator();
            Map.Entry<String, SessionKey> forgotten = oldest.next();
            forgotten.getValue().destroy();
            ids.remove(forgotten.getKey());
            oldest.remove();
        }
    }

    private void addClosed(String session) {
        closed.add(session);
        if (closed.size() > MOST_CLOSED) {
            Iterator<String> oldest = closed.iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Wipes the keys. */
    void destroy() {
        open.values().forEach(SessionKey::destroy);
        open.clear();
        ids.clear();
        if (nativeOpening != null) {
            nativeOpening.close();
            nativeOpening = null;
        }
    }
}
