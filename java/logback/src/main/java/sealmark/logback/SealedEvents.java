package sealmark.logback;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAware;
import java.util.AbstractMap;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.event.KeyValuePair;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.log.SessionLines;
import sealmark.log.Tokens;
import sealmark.log.ValueNames;

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

    private final ContextAware owner;
    /** Counts the values found of each, for all appenders together. */
    private final ValueNames names;
    private final boolean messages;
    private final boolean exceptions;
    private final Function<Object, String> json;
    /** The log whose sessions the values belong to, whichever thread asks for them; null for that of the line being formatted. */
    private final SessionLines own;
    private final ValueNames.Sealing members = new ValueNames.Sealing() {
        @Override
        public Object sealed(ValueNames.Name found, String name, Object value) {
            return sealedValue(name, value);
        }

        /** Most encoders cannot write it. */
        @Override
        public Object again(Object copy) {
            throw new IllegalStateException("a value that contains itself");
        }
    };

    /**
     * Chooses what is sealed, for encoders that write text.
     *
     * @param owner gets a warning if a name matches nothing
     * @param names of values, as in {@link ValueNames}
     * @param exceptions true if the messages of exceptions are sealed
     */
    public SealedEvents(ContextAware owner, Collection<String> names, boolean exceptions) {
        this(owner, UnmatchedNames.of(owner, names, "the names to seal",
                "write them as in the MDC or the key-value pairs, such as email or user.*"),
                names.stream().anyMatch(MESSAGE::equalsIgnoreCase), exceptions, null, null);
    }

    private SealedEvents(ContextAware owner, ValueNames names, boolean messages, boolean exceptions,
            Function<Object, String> json, SessionLines own) {
        this.owner = owner;
        this.names = names;
        this.messages = messages;
        this.exceptions = exceptions;
        this.json = json;
        this.own = own;
    }

    /**
     * Seals the same for an encoder that writes JSON, so that a value opens as the JSON that it was.
     *
     * @param json writes a value as the encoder does
     * @return a copy that shares its warnings with this one
     */
    public SealedEvents inJson(Function<Object, String> json) {
        return new SealedEvents(owner, names, messages, exceptions, json, own);
    }

    /** Seals the same in sessions of one log. */
    SealedEvents ofLog(SessionLines log) {
        return new SealedEvents(owner, names, messages, exceptions, json, log);
    }

    private <T> T inLog(Supplier<T> sealed) {
        return own == null ? sealed.get() : own.format(sealed);
    }

    /** Tells what an encoder writes that is not looked into here. */
    void tell(Encoder<?> encoder) {
        if (Formatter.isLogstash(encoder)) {
            Statuses.warn(owner, Formatter.name(encoder) + " writes structured arguments and markers, which are sealed by a"
                    + " decorator only\nhint: <decorator class=\"sealmark.logback.SealedFields\"> with the same names");
        }
    }

    /** The event with its named values sealed; the same object if it cannot have any. */
    @Override
    public ILoggingEvent apply(ILoggingEvent event) {
        names.record();
        boolean isSealed = messages
                || (exceptions && event.getThrowableProxy() != null)
                || (event.getMDCPropertyMap() != null && event.getMDCPropertyMap().keySet().stream().anyMatch(this::isNamed))
                || (event.getKeyValuePairs() != null && event.getKeyValuePairs().stream().anyMatch(this::mayHaveNamed));
        return isSealed ? new SealedEvent(event) : event;
    }

    private boolean isNamed(String name) {
        return names.find(name) != null;
    }

    private boolean mayHaveNamed(KeyValuePair pair) {
        return isNamed(pair.key) || (ValueNames.hasMembers(pair.value, isArrayOpen()) && !names.isEmpty());
    }

    /** In text, an array has only the name of its class. */
    private boolean isArrayOpen() {
        return json != null;
    }

    /** The value with its named members sealed: the value itself if it has none, and all of it if nobody can look into it. */
    private Object sealed(String name, Object value) {
        try {
            return names.sealed(name, value, members, isArrayOpen());
        } catch (RuntimeException | StackOverflowError error) {
            return sealedValue(String.valueOf(name), value);
        }
    }

    /** Something whose text is the token. */
    private Object sealedValue(String name, Object value) {
        if (value == null || value instanceof Sealed) {
            return value;
        }
        if (json != null) {
            return jsonToken(Label.fit(name), value);
        }
        Sealed sealed = Sealed.of(name, value);
        // Sealed by whoever writes it, it would be of no log.
        return own == null ? sealed : inLog(sealed::toJsonToken);
    }

    private String sealedText(Label label, String text) {
        if (text == null) {
            return null;
        }
        return json == null || !hasControls(text)
                ? inLog(() -> WithoutHeaders.sealed(owner, Sealers.DEFAULT, label, text)) : sealedJson(label, text);
    }

    /** Encoders write control characters differently, and readers restore one form of them (spec/record.md, "Opening"). */
    private static boolean hasControls(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    private String sealedJson(Label label, Object value) {
        return inLog(() -> sealedJsonHere(label, value));
    }

    private String sealedJsonHere(Label label, Object value) {
        LogSealer sealer = WithoutHeaders.sealer(owner, Sealers.DEFAULT);
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
            if (!messages) {
                return text;
            }
            names.matched(MESSAGE);
            return sealedText(Label.of(MESSAGE), text);
        }

        @Override
        public Object[] getArgumentArray() {
            Object[] arguments = original.getArgumentArray();
            return !messages || arguments == null ? arguments
                    : Arrays.stream(arguments).map(one -> SealedEvents.this.sealed(MESSAGE, one)).toArray();
        }

        @Override
        public IThrowableProxy getThrowableProxy() {
            IThrowableProxy throwable = original.getThrowableProxy();
            return !exceptions || throwable == null ? throwable
                    : new SealedThrowable(throwable,
                            text -> inLog(() -> WithoutHeaders.sealed(owner, Sealers.DEFAULT, EXCEPTION, text)));
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
            Object value = SealedEvents.this.sealed(pair.key, pair.value);
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
            return value == null || names.matched(name) == null ? value : sealedText(Label.fit(name), value);
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
