package sealmark.log4j2;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.rewrite.RewritePolicy;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.apache.logging.log4j.core.impl.ContextDataFactory;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.MapMessage;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.ParameterizedMessage;
import org.apache.logging.log4j.message.ReusableMessage;
import org.apache.logging.log4j.message.SimpleMessage;
import org.apache.logging.log4j.status.StatusLogger;
import org.apache.logging.log4j.util.ReadOnlyStringMap;
import org.apache.logging.log4j.util.StringMap;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Sealed;
import sealmark.log.Sealers;

/**
 * Seals values of an event, for {@code <Rewrite>} in front of appenders of any layout:
 *
 * <pre>{@code
 * <Rewrite name="sealing">
 *   <SealingRewritePolicy keys="email, phone" exceptions="true" parameters="true"/>
 *   <AppenderRef ref="app"/>
 * </Rewrite>
 * }</pre>
 *
 * <p>{@code keys} names values of the thread context, of map messages and of structured data; the key is the label.
 * {@code exceptions} seals their messages: another exception stands for each, whose message is the class of the first
 * and the token. {@code parameters} seals each parameter of a message, with the label {@code parameter}; a message
 * whose parameters cannot be taken apart is sealed as a whole, with the label {@code message}. {@code sealer} is
 * {@code default}.
 */
@Plugin(name = "SealingRewritePolicy", category = Core.CATEGORY_NAME, elementType = "rewritePolicy", printObject = true)
public final class SealingRewritePolicy implements RewritePolicy {
    private static final Logger LOGGER = StatusLogger.getLogger();
    private static final Label PARAMETER = Label.of("parameter");
    private static final Label MESSAGE = Label.of("message");
    private static final Label EXCEPTION = Label.of("exception");

    private final Set<String> keys;
    private final boolean exceptions;
    private final boolean parameters;
    private final String sealer;

    private SealingRewritePolicy(Set<String> keys, boolean exceptions, boolean parameters, String sealer) {
        this.keys = keys;
        this.exceptions = exceptions;
        this.parameters = parameters;
        this.sealer = sealer;
    }

    /**
     * Called by Log4j.
     *
     * @param keys names with commas or spaces between
     * @param exceptions {@code true} or {@code false}
     * @param parameters {@code true} or {@code false}
     * @param sealer a name
     * @return a policy, whatever it was given: without one, events would pass in clear
     */
    @PluginFactory
    public static SealingRewritePolicy create(
            @PluginAttribute("keys") String keys,
            @PluginAttribute("exceptions") String exceptions,
            @PluginAttribute("parameters") String parameters,
            @PluginAttribute("sealer") String sealer) {
        SealingRewritePolicy policy = new SealingRewritePolicy(
                Set.copyOf(Words.of(keys)),
                isWanted("exceptions", exceptions),
                isWanted("parameters", parameters),
                sealer == null ? Sealers.DEFAULT : sealer);
        if (policy.keys.isEmpty() && !policy.exceptions && !policy.parameters) {
            LOGGER.error("<SealingRewritePolicy> seals nothing\nhint: <SealingRewritePolicy keys=\"email\"/>");
        }
        return policy;
    }

    private static boolean isWanted(String name, String text) {
        if (text != null && !text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
            LOGGER.error("<SealingRewritePolicy>: {}=\"{}\" is taken for \"true\"\nhint: true or false", name, text);
        }
        return text != null && !text.equalsIgnoreCase("false");
    }

    @Override
    public LogEvent rewrite(LogEvent event) {
        try {
            return sealed(event);
        } catch (RuntimeException | StackOverflowError error) {
            LOGGER.warn("an event was not sealed: {}", error.getClass().getName());
            return Log4jLogEvent.newBuilder()
                    .setLoggerName(event.getLoggerName())
                    .setLevel(event.getLevel())
                    .setInstant(event.getInstant())
                    .setContextData(ContextDataFactory.emptyFrozenContextData())
                    .setMessage(new SimpleMessage(MESSAGE.unsealed()))
                    .build();
        }
    }

    private LogEvent sealed(LogEvent event) {
        Message message = sealed(event.getMessage());
        StringMap context = sealed(event.getContextData());
        Throwable thrown = exceptions ? event.getThrown() : null;
        if (message == null && context == null && thrown == null) {
            return event;
        }
        Log4jLogEvent.Builder builder = new Log4jLogEvent.Builder(event);
        if (message != null) {
            builder.setMessage(message);
        }
        if (context != null) {
            builder.setContextData(context);
        }
        if (thrown != null) {
            builder.setThrown(SealedThrowable.of(thrown, this::text));
        }
        return builder.build();
    }

    /** Null where nothing is to be sealed. */
    private StringMap sealed(ReadOnlyStringMap context) {
        if (context == null || keys.stream().noneMatch(context::containsKey)) {
            return null;
        }
        StringMap copy = ContextDataFactory.createContextData(context);
        for (String key : keys) {
            if (copy.containsKey(key)) {
                copy.putValue(key, sealed(Label.fit(key), copy.getValue(key)));
            }
        }
        return copy;
    }

    /** Null where nothing is to be sealed. */
    private Message sealed(Message message) {
        if (message instanceof MapMessage<?, ?> map) {
            return keys.stream().anyMatch(map::containsKey) ? sealedMap(map) : null;
        }
        Object[] values = parameters && message != null ? message.getParameters() : null;
        if (values == null || values.length == 0) {
            return null;
        }
        if (message instanceof ParameterizedMessage || message instanceof ReusableMessage) {
            return sealedParameters(message, values);
        }
        return new SimpleMessage(sealer().seal(MESSAGE, message.getFormattedMessage()));
    }

    @SuppressWarnings("deprecation") // For messages of other kinds, which have none to give.
    private Message sealedParameters(Message message, Object[] values) {
        return new ParameterizedMessage(
                message.getFormat(), Arrays.stream(values).map(value -> sealed(PARAMETER, value)).toArray());
    }

    // The message makes another of its own kind, and its values are objects or strings: so are tokens.
    @SuppressWarnings({"unchecked", "rawtypes"})
    private Message sealedMap(MapMessage message) {
        Map<String, Object> copy = new TreeMap<>(message.getData());
        keys.forEach(key -> copy.computeIfPresent(key, (same, value) -> sealed(Label.fit(key), value)));
        return message.newInstance(copy);
    }

    private String sealed(Label label, Object value) {
        return value instanceof Sealed
                ? value.toString()
                : sealer().seal(label, ParameterizedMessage.deepToString(value));
    }

    private String text(Throwable thrown) {
        String name = thrown.getClass().getName();
        String message;
        try {
            message = thrown.getLocalizedMessage();
        } catch (RuntimeException | StackOverflowError error) {
            return name + ": " + EXCEPTION.unsealed();
        }
        return message == null ? name : name + ": " + sealer().seal(EXCEPTION, message);
    }

    private LogSealer sealer() {
        return Sealers.find(sealer);
    }

    @Override
    public String toString() {
        return "SealingRewritePolicy(keys=" + keys + ", exceptions=" + exceptions + ", parameters=" + parameters + ")";
    }
}
