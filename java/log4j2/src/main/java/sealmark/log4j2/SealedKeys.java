package sealmark.log4j2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.message.ParameterizedMessage;
import org.apache.logging.log4j.util.ReadOnlyStringMap;
import org.apache.logging.log4j.util.SortedArrayStringMap;
import org.apache.logging.log4j.util.StringMap;
import sealmark.log.Label;
import sealmark.log.NameCounts;
import sealmark.log.Sealed;

/** Puts {@link Sealed} values in the place of those that have certain names. */
final class SealedKeys {
    private final Map<String, Label> labels = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final boolean isAny;
    private final String sealer;
    private final NameCounts counts;

    private SealedKeys(List<String> keys, boolean isAny, String sealer, NameCounts counts) {
        this.isAny = isAny;
        this.sealer = sealer;
        this.counts = counts;
        keys.forEach(key -> labels.put(key, Label.fit(key)));
    }

    static SealedKeys of(List<String> keys, String sealer, Configuration configuration) {
        NameCounts counts = UnmatchedNames.of(configuration, keys, "<SealingRewritePolicy>",
                "write names exactly as in the thread context or the map: keys=\"email\"");
        return new SealedKeys(keys, false, sealer, counts);
    }

    /** Each under its own name. */
    static SealedKeys all(String sealer) {
        return new SealedKeys(List.of(), true, sealer, UnmatchedNames.of(null, List.of(), "", ""));
    }

    /** An event comes. */
    void event() {
        counts.record();
    }

    boolean isEmpty() {
        return !isAny && labels.isEmpty();
    }

    private Label label(String key) {
        Label label = labels.get(key);
        counts.matched(key);
        return label == null && isAny ? Label.fit(key) : label;
    }

    /** An object that becomes a token when a layout writes it. */
    static Sealed seal(String sealer, Label label, Object value) {
        return value instanceof Sealed sealed ? sealed : Sealed.of(label, new Text(value)).by(sealer);
    }

    /** Writes objects as Log4j does: arrays with their content. */
    private record Text(Object value) {
        @Override
        public String toString() {
            return String.valueOf(ParameterizedMessage.deepToString(value));
        }
    }

    /** A copy, also of the maps and lists in it; null if nothing is to be sealed. */
    Map<String, Object> sealed(Map<String, ?> map) {
        Copy copy = new Copy();
        Map<String, Object> made = new LinkedHashMap<>();
        map.forEach((key, value) -> made.put(key, copy.of(key, value)));
        return copy.isSealed ? made : null;
    }

    /** Seals keys as before; mostly there is nothing to copy. */
    StringMap sealed(ReadOnlyStringMap context) {
        boolean[] isWanted = {false};
        if (context != null && !isEmpty()) {
            context.forEach((key, value) -> isWanted[0] |= isAny || labels.containsKey(key) || !(value instanceof String));
        }
        if (!isWanted[0]) {
            return null;
        }
        Copy copy = new Copy();
        Context made = new Context();
        context.forEach((key, value) -> made.putValue(key, copy.of(key, value)));
        return copy.isSealed ? made : null;
    }

    /** Lookups want strings, and others ask for what they do not write. */
    private static final class Context extends SortedArrayStringMap {
        private static final long serialVersionUID = 1;

        @Override
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // It is a string where the caller wants one.
        public <V> V getValue(String key) {
            Object value = super.getValue(key);
            return (V) (value instanceof Sealed ? value.toString() : value);
        }
    }

    /** Copies each container once, as they may contain each other. */
    private final class Copy {
        private final IdentityHashMap<Object, Object> known = new IdentityHashMap<>();
        boolean isSealed;

        Object of(Object key, Object value) {
            Label label = label(String.valueOf(key));
            isSealed |= label != null;
            return label != null ? seal(sealer, label, value) : of(value);
        }

        private Object of(Object value) {
            Object before = known.get(value);
            if (before != null) {
                return before;
            }
            if (value instanceof Map<?, ?> map) {
                Map<Object, Object> made = new LinkedHashMap<>();
                known.put(map, made);
                map.forEach((key, one) -> made.put(key, of(key, one)));
                return made;
            }
            if (value instanceof Collection || value instanceof Object[]) {
                List<Object> made = new ArrayList<>();
                known.put(value, made);
                Collection<?> all = value instanceof Collection<?> some ? some : Arrays.asList((Object[]) value);
                all.forEach(one -> made.add(of(one)));
                return made;
            }
            return value;
        }
    }

    @Override
    public String toString() {
        return isAny ? "all" : labels.keySet().toString();
    }
}
