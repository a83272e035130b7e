package sealmark.log4j2;

import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.message.ParameterizedMessage;
import org.apache.logging.log4j.util.ReadOnlyStringMap;
import org.apache.logging.log4j.util.SortedArrayStringMap;
import org.apache.logging.log4j.util.StringMap;
import sealmark.log.Label;
import sealmark.log.Sealed;
import sealmark.log.ValueNames;

/** Puts {@link Sealed} values in the place of those that have certain names. */
final class SealedKeys {
    private final List<String> keys;
    private final ValueNames names;
    private final ValueNames.Sealing sealing;

    private SealedKeys(List<String> keys, String sealer, ValueNames names) {
        this.keys = keys;
        this.names = names;
        sealing = (found, key, value) -> seal(sealer, found.label(key), value);
    }

    static SealedKeys of(List<String> keys, String sealer, Configuration configuration) {
        return new SealedKeys(keys, sealer, Endings.names(configuration, keys, "<SealingRewritePolicy>",
                "write names exactly as in the thread context or the map: keys=\"email\""));
    }

    /** Each under its own name. */
    static SealedKeys all(String sealer) {
        return new SealedKeys(List.of("*"), sealer, new ValueNames(List.of("*"), none -> {}));
    }

    /** An event comes. */
    void event() {
        names.record();
    }

    boolean isEmpty() {
        return names.isEmpty();
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
    @SuppressWarnings("unchecked") // Its keys are those of the map.
    Map<String, Object> sealed(Map<String, ?> map) {
        Object sealed = names.sealed(null, map, sealing, true);
        return sealed == map ? null : (Map<String, Object>) sealed;
    }

    /** Seals keys as before; mostly there is nothing to copy. */
    StringMap sealed(ReadOnlyStringMap context) {
        boolean[] isWanted = {false};
        if (context != null && !isEmpty()) {
            context.forEach((key, value) -> isWanted[0] |= names.find(key) != null || !(value instanceof String));
        }
        if (!isWanted[0]) {
            return null;
        }
        Context made = new Context();
        context.forEach((key, value) -> made.putValue(key, names.sealed(key, value, sealing, true)));
        return made;
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

    @Override
    public String toString() {
        return keys.toString();
    }
}
