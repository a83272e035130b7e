package sealmark.log4j2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.rewrite.RewritePolicy;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.Node;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginConfiguration;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.apache.logging.log4j.core.config.plugins.PluginNode;
import org.apache.logging.log4j.core.impl.ContextDataFactory;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.MapMessage;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.ParameterizedMessage;
import org.apache.logging.log4j.message.ReusableMessage;
import org.apache.logging.log4j.message.SimpleMessage;
import org.apache.logging.log4j.spi.MutableThreadContextStack;
import org.apache.logging.log4j.status.StatusLogger;
import org.apache.logging.log4j.util.StringMap;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Sealed;
import sealmark.log.SealerSettings;
import sealmark.log.Sealers;
import sealmark.log.Tokens;

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
 * <p>{@code keys} names values of the thread context, of map messages and of structured data, and of maps and lists in
 * them, as {@link sealmark.log.ValueNames} says; a name without a {@code *} is the label. A key that matches nothing causes a
 * warning, after 1,000 events and when the configuration ends. {@code exceptions} seals the messages of exceptions: each
 * exception is replaced with another one, whose message is the class of the original and the token. {@code parameters} seals each parameter of a message,
 * with the label {@code parameter}; a message whose parameters cannot be taken apart is sealed as a whole, with the label
 * {@code message}. {@code sealer} is {@code default}.
 *
 * <p>If nothing is chosen, if an attribute or element is unknown, or if a key is a {@code ${…}} that Log4j has not replaced,
 * everything is sealed, and the status logger gets an error. Everything means the message as a whole, each value of the
 * thread context, its stack (with the label {@code ndc}), and messages of exceptions. Level, logger, marker, thread and
 * location stay in the clear.
 *
 * <p>A value is sealed when a layout writes it, so that {@code sealmark log verify} does not report values as missing that no
 * layout has written. If an interface allows only strings, the value is sealed at once: in all map messages except {@code
 * MapMessage} itself, such as {@code StringMapMessage}, and in the stack. Layouts that ask for the whole context and write a
 * part of it (Rfc5424Layout) also waste tokens.
 *
 * <p>Unless everything is sealed, these stay in the clear: the stack of the thread context ({@code %x}); the text of a
 * structured message; with {@code keys}, maps that are parameters or the message itself ({@code logger.info(map)}); with
 * {@code parameters}, all text that is not a parameter: the message's own text, and {@code logger.info(text)}, for any kind
 * of text or object. An exception after the other parameters is covered by {@code exceptions}. {@code %sealed{%m}{message}}
 * seals a whole message.
 */
@Plugin(name = "SealingRewritePolicy", category = Core.CATEGORY_NAME, elementType = "rewritePolicy", printObject = true)
public final class SealingRewritePolicy implements RewritePolicy {
    private static final Logger LOGGER = StatusLogger.getLogger();
    private static final Label PARAMETER = Label.of("parameter");
    private static final Label MESSAGE = Label.of("message");
    private static final Label EXCEPTION = Label.of("exception");
    private static final Label STACK = Label.of("ndc");

    private final SealedKeys keys;
    private final boolean exceptions;
    private final boolean parameters;
    private final boolean everything;
    private final String sealer;

    private SealingRewritePolicy(
            SealedKeys keys, boolean exceptions, boolean parameters, boolean everything, String sealer) {
        this.keys = keys;
        this.exceptions = exceptions;
        this.parameters = parameters;
        this.everything = everything;
        this.sealer = sealer;
    }

    /**
     * Called by Log4j.
     *
     * @param keys names with commas or spaces between
     * @param exceptions {@code true} or {@code false}
     * @param parameters {@code true} or {@code false}
     * @param sealer a name
     * @param element has what Log4j knows no parameter for
     * @param configuration the configuration of the policy
     * @return a policy, whatever it was given: without one, events would pass in the clear
     */
    @PluginFactory
    public static SealingRewritePolicy create(
            @PluginAttribute("keys") String keys,
            @PluginAttribute("exceptions") String exceptions,
            @PluginAttribute("parameters") String parameters,
            @PluginAttribute("sealer") String sealer,
            @PluginNode Node element,
            @PluginConfiguration Configuration configuration) {
        String named = sealer == null ? Sealers.DEFAULT : sealer;
        List<String> words = SealerSettings.words(keys);
        boolean ofExceptions = isWanted("exceptions", exceptions);
        boolean ofParameters = isWanted("parameters", parameters);
        List<String> unknown = unknown(words, element);
        unknown.forEach(word -> LOGGER.error("<SealingRewritePolicy>: unknown setting or variable \"{}\", so everything is"
                + " sealed\nhint: the settings are keys, exceptions, parameters and sealer", word));
        if (!unknown.isEmpty()) {
            return ofEverything(named);
        }
        if (words.isEmpty() && !ofExceptions && !ofParameters) {
            LOGGER.error("<SealingRewritePolicy> names nothing to seal, so everything is sealed"
                    + "\nhint: <SealingRewritePolicy keys=\"email\"/>");
            return ofEverything(named);
        }
        return new SealingRewritePolicy(SealedKeys.of(words, named, configuration), ofExceptions, ofParameters, false, named);
    }

    private static SealingRewritePolicy ofEverything(String sealer) {
        return new SealingRewritePolicy(SealedKeys.all(sealer), true, true, true, sealer);
    }

    /** They may have meant anything. By now, Log4j has taken away the attributes that it knows. */
    private static List<String> unknown(List<String> keys, Node element) {
        List<String> unknown = new ArrayList<>(element.getAttributes().keySet());
        element.getChildren().forEach(child -> unknown.add(child.getName()));
        keys.stream().filter(key -> key.contains("${")).forEach(unknown::add);
        return unknown;
    }

    private static boolean isWanted(String name, String text) {
        if (text != null && !text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
            LOGGER.error("<SealingRewritePolicy>: {}=\"{}\" is neither true nor false, and is read as true\n"
                    + "hint: {}=\"true\"", name, text, name);
        }
        return text != null && !text.equalsIgnoreCase("false");
    }

    @Override
    public LogEvent rewrite(LogEvent event) {
        try {
            return sealed(event);
        } catch (Throwable error) {
            LOGGER.warn("could not seal an event, so only its time, level and logger are written: {}", error.getClass().getName());
            return Log4jLogEvent.newBuilder()
                    .setLoggerName(event.getLoggerName())
                    .setLevel(event.getLevel())
                    .setInstant(event.getInstant())
                    .setContextData(ContextDataFactory.emptyFrozenContextData())
                    .setContextStack(ThreadContext.EMPTY_STACK)
                    .setMessage(new SimpleMessage(sealer().unsealed(MESSAGE, error.getClass().getName())))
                    .build();
        }
    }

    private LogEvent sealed(LogEvent event) {
        keys.event();
        Message message = sealed(event.getMessage());
        StringMap context = keys.sealed(event.getContextData());
        Throwable thrown = exceptions ? event.getThrown() : null;
        ThreadContext.ContextStack stack = everything ? sealed(event.getContextStack()) : null;
        if (message == null && context == null && thrown == null && stack == null) {
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
            setThrown(builder, SealedThrowable.of(thrown, one -> () -> textOf(one)));
        }
        if (stack != null) {
            builder.setContextStack(stack);
        }
        return builder.build();
    }

    @SuppressWarnings("deprecation") // Log4j before 2.25 copies the original's proxy, and layouts write it.
    private static void setThrown(Log4jLogEvent.Builder builder, Throwable thrown) {
        builder.setThrown(thrown).setThrownProxy(null);
    }

    /** Null if nothing is to be sealed. */
    private ThreadContext.ContextStack sealed(ThreadContext.ContextStack stack) {
        return stack == null || stack.getDepth() == 0
                ? null
                : new MutableThreadContextStack(
                        stack.asList().stream().map(text -> Tokens.seal(sealer(), STACK, text)).toList());
    }

    /** Seals as before. */
    private Message sealed(Message message) {
        if (everything) {
            return message == null ? null : whole(message);
        }
        if (message instanceof MapMessage<?, ?> map) {
            return keys.isEmpty() ? null : sealedMap(map);
        }
        Object[] values = parameters && message != null ? message.getParameters() : null;
        if (values == null || values.length == 0) {
            return null;
        }
        if (message instanceof ParameterizedMessage || message instanceof ReusableMessage) {
            return sealedParameters(message, values);
        }
        return whole(message);
    }

    /** Sealed when a layout writes it, but for the tokens that are in it. */
    private Message whole(Message message) {
        String text = message.getFormattedMessage();
        Object sealed = text == null || text.isEmpty() ? text : Sealed.of(MESSAGE, text).by(sealer);
        return new ParameterizedMessage("{}", sealed);
    }

    @SuppressWarnings("deprecation") // For messages of other kinds, which have none to give.
    private Message sealedParameters(Message message, Object[] values) {
        Object[] sealed = Arrays.stream(values)
                .map(value -> SealedKeys.seal(sealer, PARAMETER, value))
                .toArray();
        // One that no placeholder takes, and layouts that list parameters would write it nevertheless.
        Throwable behind = new ParameterizedMessage(message.getFormat(), values).getThrowable();
        if (behind != null && behind == values[values.length - 1]) {
            sealed[values.length - 1] = SealedThrowable.of(behind, one -> () -> textOf(one));
        }
        return new ParameterizedMessage(message.getFormat(), sealed);
    }

    // The message makes another of its own kind.
    @SuppressWarnings({"unchecked", "rawtypes"})
    private Message sealedMap(MapMessage message) {
        Map<String, Object> copy = keys.sealed((Map<String, ?>) message.getData());
        if (copy == null) {
            return null;
        }
        if (message.getClass() != MapMessage.class) {
            copy.replaceAll((key, value) -> value instanceof Sealed ? value.toString() : value);
        }
        return message.newInstance(copy);
    }

    private String textOf(Throwable thrown) {
        String message = Tokens.sealMessage(sealer(), EXCEPTION, thrown);
        return thrown.getClass().getName() + (message == null ? "" : ": " + message);
    }

    private LogSealer sealer() {
        return Sealers.find(sealer);
    }

    @Override
    public String toString() {
        return "SealingRewritePolicy(keys=" + keys + ", exceptions=" + exceptions + ", parameters=" + parameters + ")";
    }
}
