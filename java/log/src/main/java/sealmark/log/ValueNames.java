package sealmark.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The names of the values that a configuration seals: the rule by which adapters of logging frameworks find them in
 * key-value pairs, contexts, and maps and lists inside of those. Case does not matter, {@code *} stands for any characters,
 * and a value in a map has its own name or its path, {@code order.card}.
 *
 * <p>Counts the values that each name has matched, and warns of a name that matches nothing: its values may be in the log under
 * another name, in the clear.
 *
 * <pre>{@code
 * ValueNames names = new ValueNames(List.of("email", "user.*"), warning -> LOGGER.warn(warning));
 * names.record();                      // for each record
 * Object value = names.sealed("email", "hanako@example.com", (found, name, one) -> Sealed.of(name, one), true);
 * }</pre>
 */
public final class ValueNames {
    /** After so many records the first warning comes. */
    public static final int RECORDS = 1_000;

    private final TreeMap<String, Name> names = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final List<Name> wildcards;
    private final AtomicInteger records = new AtomicInteger();
    private final Consumer<String> warning;

    /** One of the names. */
    public static final class Name {
        private final Label label;
        /** Null if it has no {@code *}. */
        private final Pattern wildcard;
        private final LongAdder count = new LongAdder();

        private Name(String name) {
            label = Label.fit(name);
            wildcard = name.contains("*") ? pattern(name) : null;
        }

        private static Pattern pattern(String name) {
            String parts = Arrays.stream(name.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
            return Pattern.compile(parts, Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE | Pattern.DOTALL);
        }

        /**
         * The label of a value.
         *
         * @param name the value's own name
         * @return the configured name, or the value's own if the configured one has a {@code *}
         */
        public Label label(String name) {
            return wildcard == null ? label : Label.fit(name);
        }
    }

    /** Seals a value that was found. */
    public interface Sealing {
        /**
         * Seals a value.
         *
         * @param found the name that it matches
         * @param name its own name
         * @param value may be null
         * @return an object in the place of the value
         */
        Object sealed(Name found, String name, Object value);

        /**
         * Answers for a map or a list that contains itself.
         *
         * @param copy its copy, which is being made
         * @return an object in its own place; by default the copy, which then contains itself
         */
        default Object again(Object copy) {
            return copy;
        }
    }

    /**
     * Counts nothing yet.
     *
     * @param all the names
     * @param warning gets one line for all names that match nothing, once after {@link #RECORDS} and once at the end
     */
    public ValueNames(Collection<String> all, Consumer<String> warning) {
        all.forEach(name -> names.put(name, new Name(name)));
        wildcards = names.values().stream().filter(name -> name.wildcard != null).toList();
        this.warning = warning;
    }

    /**
     * Tells if there is any name.
     *
     * @return false if nothing can be found
     */
    public boolean isEmpty() {
        return names.isEmpty();
    }

    /**
     * Finds a name, and counts nothing.
     *
     * @param name that of a value; null matches nothing
     * @return the configured name that it matches, or null
     */
    public Name find(String name) {
        Name exact = name == null ? null : names.get(name);
        if (exact != null || name == null) {
            return exact;
        }
        for (Name one : wildcards) {
            if (one.wildcard.matcher(name).matches()) {
                return one;
            }
        }
        return null;
    }

    /** A record was looked through, whether or not a name matched. */
    public void record() {
        if (records.get() < RECORDS && records.incrementAndGet() == RECORDS) {
            warn("the first " + RECORDS + " records");
        }
    }

    /**
     * Counts a value.
     *
     * @param name that of the value
     * @return the configured name that it matches, or null
     */
    public Name matched(String name) {
        Name found = find(name);
        if (found != null) {
            found.count.increment();
        }
        return found;
    }

    /**
     * Seals a value if it is named, or the named values in it; counts them.
     *
     * @param name that of the value; null for one without a name, whose members are then named by a path of their own
     * @param value may be null
     * @param sealing seals what is named
     * @param isArrayOpen true if arrays are looked into, because their content is written
     * @return the value itself if nothing in it is named, else what stands for it: for maps and lists, copies
     */
    public Object sealed(String name, Object value, Sealing sealing, boolean isArrayOpen) {
        Name found = matched(name);
        if (found != null) {
            return sealing.sealed(found, name, value);
        }
        return names.isEmpty() || !hasMembers(value, isArrayOpen) ? value : new Search(sealing, isArrayOpen).copy(name, value);
    }

    private final class Search {
        private final Sealing sealing;
        private final boolean isArrayOpen;
        /** The containers around, with their copies. */
        private final IdentityHashMap<Object, Object> around = new IdentityHashMap<>();

        Search(Sealing sealing, boolean isArrayOpen) {
            this.sealing = sealing;
            this.isArrayOpen = isArrayOpen;
        }

        /** A member is named by its own name or by its path. */
        private Object sealed(String path, String name, Object value) {
            Name byPath = matched(path);
            Name found = byPath != null ? byPath : matched(name);
            return found == null ? inside(path, value) : sealing.sealed(found, name, value);
        }

        private Object inside(String path, Object value) {
            Object copy = around.get(value);
            return copy != null ? sealing.again(copy) : hasMembers(value, isArrayOpen) ? copy(path, value) : value;
        }

        private Object copy(String path, Object value) {
            boolean isSealed = false;
            Object made;
            if (value instanceof Map<?, ?> map) {
                Map<Object, Object> copy = new LinkedHashMap<>();
                around.put(value, copy);
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    String name = String.valueOf(entry.getKey());
                    Object sealed = sealed(path == null ? name : path + "." + name, name, entry.getValue());
                    isSealed |= sealed != entry.getValue();
                    copy.put(entry.getKey(), sealed);
                }
                made = copy;
            } else {
                List<Object> copy = new ArrayList<>();
                around.put(value, copy);
                for (Object one : value instanceof Collection<?> some ? some : Arrays.asList((Object[]) value)) {
                    Object sealed = inside(path, one);
                    isSealed |= sealed != one;
                    copy.add(sealed);
                }
                made = copy;
            }
            around.remove(value);
            return isSealed ? made : value;
        }
    }

    /**
     * Tells if a value can have others in it that have names.
     *
     * @param value may be null
     * @param isArrayOpen true if arrays are looked into
     * @return true for maps, collections, and arrays of objects if they are looked into
     */
    public static boolean hasMembers(Object value, boolean isArrayOpen) {
        return value instanceof Map || value instanceof Collection || (isArrayOpen && value instanceof Object[]);
    }

    /** Tells that no record follows. Gives no warning if there was no record. */
    public void end() {
        if (records.get() > 0) {
            warn("any record");
        }
    }

    private void warn(String where) {
        String unmatched = names.entrySet().stream().filter(entry -> entry.getValue().count.sum() == 0)
                .map(entry -> "\"" + entry.getKey() + "\"").collect(Collectors.joining(", "));
        if (!unmatched.isEmpty()) {
            warning.accept(unmatched + " matched nothing in " + where);
        }
    }
}
