package sealmark.log.reader;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import sealmark.log.grammar.Found;
import sealmark.log.wrap.Base64Url;
import sealmark.log.wrap.SessionSecret;

/** The sessions whose headers were met, within bounds: the oldest are forgotten first. */
final class Sessions {
    static final int MOST_OPEN = 1 << 16;
    /** Anybody can make headers up that none of the keys opens. */
    static final int MOST_CLOSED = 1 << 10;

    private final LogKeys keys;
    private final Collector collector = new Collector();
    private final Map<String, SessionKey> open = new LinkedHashMap<>();
    private final Set<String> closed = new LinkedHashSet<>();

    Sessions(LogKeys keys) {
        this.keys = keys;
    }

    /** The key that opens that session. */
    Optional<SessionKey> key(String session) {
        return Optional.ofNullable(open.get(session));
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
        if (open.size() > MOST_OPEN) {
            Iterator<SessionKey> oldest = open.values().iterator();
            oldest.next().destroy();
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
    }
}
