package sealmark.logback;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAware;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.event.KeyValuePair;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.NameCounts;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.log.Tokens;

/**
 * Seals values in events by name, so that any encoder sees tokens: entries of the MDC, key-value pairs, members of maps in such
 * pairs, and the messages of exceptions.
 *
 * <pre>{@code
 * SealedConsoleAppender<ILoggingEvent> console = …;
 * console.setEvents(new SealedEvents(console, List.of("email", "user.*"), true));
 * }</pre>
 *
 * <p>A value is sealed when the encoder asks for it, because {@code verify} would report a token that is in no line as missing.
 * Text that the application has joined into a message has no name: the name {@code message} seals each message as a whole.
 */
public final class SealedEvents implements UnaryOperator<ILoggingEvent> {
    private static final String MESSAGE = "message";
    private static final Label EXCEPTION = Label.of("exception");

    private final Names names;
    private final Function<Object, String> json;

    /** The names, and the number of values found of each, for all appenders together. */
    private record Names(
            ContextAware owner, Set<String> exact, List<Wildcard> wildcards, boolean exceptions, NameCounts counts) {}

    private record Wildcard(String name, Pattern pattern) {}

    /**
     * Chooses what is sealed, for encoders that write text.
     *
     * @param owner gets a warning if a name matches nothing
     * @param names of values, regardless of case; {@code *} stands for any characters
     * @param exceptions true if the messages of exceptions are sealed
     */
    public SealedEvents(ContextAware owner, Collection<String> names, boolean exceptions) {
        Set<String> exact = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.stream().filter(name -> !name.contains("*")).forEach(exact::add);
        List<Wildcard> wildcards = names.stream().filter(name -> name.contains("*"))
                .map(name -> new Wildcard(name, pattern(name))).toList();
        NameCounts counts = UnmatchedNames.of(owner, names, "the names to seal",
                "write them as in the MDC or the key-value pairs, such as email or user.*");
        this.names = new Names(owner, exact, wildcards, exceptions, counts);
        this.json = null;
    }

    private SealedEvents(Names names, Function<Object, String> json) {
        this.names = names;
        this.json = json;
    }

    /**
     * Seals the same for an encoder that writes JSON, so that a value opens as the JSON that it was.
     *
     * @param json writes a value as the encoder does
     * @return a copy that shares its warnings with this one
     */
    public SealedEvents inJson(Function<Object, String> json) {
        return new SealedEvents(names, json);
    }

    private static Pattern pattern(String name) {
        return Pattern.compile(Arrays.stream(name.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")),
                Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE | Pattern.DOTALL);
    }

    /** Tells what an encoder writes that is not looked into here. */
    void tell(Encoder<?> encoder) {
        if (Formatter.isLogstash(encoder)) {
            Statuses.warn(names.owner, Formatter.name(encoder) + " writes structured arguments and markers, which are sealed by a"
                    + " decorator only\nhint: <decorator class=\"sealmark.logback.SealedFields\"> with the same names");
        }
    }

    /** The event with its named values sealed; the same object if it cannot have any. */
    @Override
    public ILoggingEvent apply(ILoggingEvent event) {
        names.counts.record();
        boolean isSealed = sealsMessages()
                || (names.exceptions && event.getThrowableProxy() != null)
                || (event.getMDCPropertyMap() != null && event.getMDCPropertyMap().keySet().stream().anyMatch(this::isNamed))
                || (event.getKeyValuePairs() != null && event.getKeyValuePairs().stream().anyMatch(this::mayHaveNamed));
        return isSealed ? new SealedEvent(event) : event;
    }

    private boolean hasNames() {
        return !names.exact.isEmpty() || !names.wildcards.isEmpty();
    }

    private boolean sealsMessages() {
        return names.exact.contains(MESSAGE);
    }

    private boolean isNamed(String name) {
        return configured(name) != null;
    }

    private boolean mayHaveNamed(KeyValuePair pair) {
        return isNamed(pair.key) || (hasMembers(pair.value) && hasNames());
    }

    /** The configured name that a name matches; null if there is none. */
    private String configured(String name) {
        if (name == null) {
            return null;
        }
        if (names.exact.contains(name)) {
            return name;
        }
        for (Wildcard wildcard : names.wildcards) {
            if (wildcard.pattern.matcher(name).matches()) {
                return wildcard.name;
            }
        }
        return null;
    }

    /** A member is named by its own name or by its path. */
    private String configured(String path, String name) {
        String found = configured(path);
        return found == null ? configured(name) : found;
    }

    /** In text, an array has only the name of its class. */
    private boolean hasMembers(Object value) {
        return value instanceof Map || value instanceof Collection || (json != null && value instanceof Object[]);
    }

    /** The value with its named members sealed: the value itself if it has none, and all of it if nobody can look into it. */
    private Object sealedInside(String path, Object value) {
        if (!hasMembers(value) || !hasNames()) {
            return value;
        }
        try {
            return new Members().sealed(path, value);
        } catch (RuntimeException | StackOverflowError error) {
            return sealedValue(String.valueOf(path), value);
        }
    }

    /** Looks into a value, each time that an encoder asks for it: others would not, and some values fail then. */
    private final class Members {
        private final Set<Object> around = Collections.newSetFromMap(new IdentityHashMap<>());

        private Object sealed(String path, Object value) {
            if (!hasMembers(value)) {
                return value;
            }
            if (!around.add(value)) {
                throw new IllegalStateException("a value that contains itself");
            }
            Object sealed = value instanceof Map<?, ?> map ? sealedMap(path, map)
                    : sealedAll(path, value instanceof Collection<?> some ? some : Arrays.asList((Object[]) value));
            around.remove(value);
            return sealed == null ? value : sealed;
        }

        /** Null if nothing in it is sealed. */
        private Map<Object, Object> sealedMap(String path, Map<?, ?> map) {
            Map<Object, Object> all = new LinkedHashMap<>();
            boolean isSealed = false;
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                String name = String.valueOf(entry.getKey());
                String inner = path + "." + name;
                String found = configured(inner, name);
                Object sealed = found == null ? sealed(inner, entry.getValue()) : sealedValue(found, name, entry.getValue());
                isSealed |= sealed != entry.getValue();
                all.put(entry.getKey(), sealed);
            }
            return isSealed ? all : null;
        }

        /** Null if nothing in it is sealed. */
        private List<Object> sealedAll(String path, Collection<?> some) {
            List<Object> all = new ArrayList<>();
            boolean isSealed = false;
            for (Object one : some) {
                Object sealed = sealed(path, one);
                isSealed |= sealed != one;
                all.add(sealed);
            }
            return isSealed ? all : null;
        }
    }

    /** Something whose text is the token. */
    private Object sealedValue(String configured, String name, Object value) {
        names.counts.matched(configured);
        return sealedValue(name, value);
    }

    private Object sealedValue(String name, Object value) {
        if (value == null || value instanceof Sealed) {
            return value;
        }
        return json == null ? Sealed.of(name, value) : jsonToken(Label.fit(name), value);
    }

    private String sealedText(Label label, String text) {
        if (text == null) {
            return null;
        }
        return json == null || !hasControls(text) ? WithoutHeaders.sealed(names.owner, Sealers.DEFAULT, label, text)
                : sealedJson(label, text);
    }

    /** Encoders write control characters differently, and readers restore one form of them (spec/record.md, "Opening"). */
    private static boolean hasControls(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    private String sealedJson(Label label, Object value) {
        LogSealer sealer = WithoutHeaders.sealer(names.owner, Sealers.DEFAULT);
        try {
            return Tokens.sealJson(sealer, label, json.apply(value), String.valueOf(value));
        } catch (RuntimeException | StackOverflowError error) {
            return sealer.unsealed(label, error.getClass().getName());
        }
    }

    /** A value in JSON, sealed each time that it is written. */
    private Object jsonToken(Label label, Object value) {
        return new Object() {
            @Override
            public String toString() {
                return value instanceof String text ? sealedText(label, text) : sealedJson(label, value);
            }
        };
    }

    private final class SealedEvent extends PassedEvent {
        private SealedEvent(ILoggingEvent original) {
            super(original);
        }

        @Override
        public String getMessage() {
            return sealedMessage(original.getMessage());
        }

        @Override
        public String getFormattedMessage() {
            return sealedMessage(original.getFormattedMessage());
        }

        private String sealedMessage(String text) {
            if (!sealsMessages()) {
                return text;
            }
            names.counts.matched(MESSAGE);
            return sealedText(Label.of(MESSAGE), text);
        }

        @Override
        public Object[] getArgumentArray() {
            Object[] arguments = original.getArgumentArray();
            return !sealsMessages() || arguments == null ? arguments
                    : Arrays.stream(arguments).map(one -> sealedValue(MESSAGE, MESSAGE, one)).toArray();
        }

        @Override
        public IThrowableProxy getThrowableProxy() {
            IThrowableProxy throwable = original.getThrowableProxy();
            return !names.exceptions || throwable == null ? throwable
                    : new SealedThrowable(throwable,
                            text -> WithoutHeaders.sealed(names.owner, Sealers.DEFAULT, EXCEPTION, text));
        }

        @Override
        public Map<String, String> getMDCPropertyMap() {
            return sealed(original.getMDCPropertyMap());
        }

        private Map<String, String> sealed(Map<String, String> context) {
            return context == null || context.keySet().stream().noneMatch(SealedEvents.this::isNamed)
                    ? context : new SealedContext(context);
        }

        @Override
        @Deprecated
        public Map<String, String> getMdc() {
            return sealed(original.getMDCPropertyMap());
        }

        @Override
        public List<KeyValuePair> getKeyValuePairs() {
            List<KeyValuePair> pairs = original.getKeyValuePairs();
            return pairs == null ? null : pairs.stream().map(this::sealed).toList();
        }

        private KeyValuePair sealed(KeyValuePair pair) {
            String found = configured(pair.key);
            Object value = found == null ? sealedInside(pair.key, pair.value) : sealedValue(found, pair.key, pair.value);
            return value == pair.value ? pair : new KeyValuePair(pair.key, value);
        }
    }

    /** The MDC; a value is sealed each time that it is read. */
    private final class SealedContext extends AbstractMap<String, String> {
        private final Map<String, String> original;

        private SealedContext(Map<String, String> original) {
            this.original = original;
        }

        @Override
        public String get(Object key) {
            return sealed((String) key, original.get(key));
        }

        @Override
        public boolean containsKey(Object key) {
            return original.containsKey(key);
        }

        @Override
        public int size() {
            return original.size();
        }

        private String sealed(String name, String value) {
            String found = value == null ? null : configured(name);
            if (found == null) {
                return value;
            }
            names.counts.matched(found);
            return sealedText(Label.fit(name), value);
        }

        @Override
        public Set<String> keySet() {
            return original.keySet();
        }

        /** For encoders that write all of them. */
        @Override
        public Set<Entry<String, String>> entrySet() {
            Map<String, String> all = new LinkedHashMap<>();
            original.forEach((name, value) -> all.put(name, sealed(name, value)));
            return all.entrySet();
        }
    }
}
