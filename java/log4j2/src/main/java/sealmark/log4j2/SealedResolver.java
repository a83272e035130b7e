package sealmark.log4j2;

import java.util.List;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.apache.logging.log4j.layout.template.json.resolver.EventResolver;
import org.apache.logging.log4j.layout.template.json.resolver.EventResolverContext;
import org.apache.logging.log4j.layout.template.json.resolver.EventResolverFactory;
import org.apache.logging.log4j.layout.template.json.resolver.TemplateResolver;
import org.apache.logging.log4j.layout.template.json.resolver.TemplateResolverConfig;
import org.apache.logging.log4j.layout.template.json.resolver.TemplateResolverFactory;
import org.apache.logging.log4j.layout.template.json.util.JsonReader;
import org.apache.logging.log4j.layout.template.json.util.JsonWriter;
import org.apache.logging.log4j.status.StatusLogger;
import sealmark.log.Label;
import sealmark.log.Sealers;
import sealmark.log.Tokens;
import sealmark.log.ValueNames;

/**
 * Seals what another resolver of JsonTemplateLayout writes. {@code of} names that one, and all other members are its
 * own:
 *
 * <pre>{@code
 * "email": {"$resolver": "sealed", "of": "mdc", "key": "email", "label": "email"}
 * }</pre>
 *
 * <p>{@code label} is by default what {@code key} or {@code field} says, or else {@code of}; {@code sealer} is
 * {@code default}. {@code null} and the empty string stay. The output of the other resolver opens to the
 * very bytes, numbers as numbers, if it is JSON on one line. Other output, such as {@code NaN} or a map with line feeds or
 * {@link sealmark.log.Sealed} values in it, opens as a string.
 */
public final class SealedResolver implements EventResolver {
    private static final String NAME = "sealed";

    private static final Logger LOGGER = StatusLogger.getLogger();

    /** Null if the template is wrong: nothing of it comes out then. */
    private final TemplateResolver<LogEvent> inside;
    private final Configuration configuration;
    private final Label label;
    private final String sealer;
    private final ValueNames counts;

    SealedResolver(EventResolverContext context, TemplateResolverConfig config) {
        configuration = context.getConfiguration();
        inside = inside(context, config);
        String named = text(config, "key", text(config, "field", text(config, "of", "value")));
        label = Label.fit(text(config, "label", named));
        sealer = text(config, "sealer", Sealers.DEFAULT);
        counts = Endings.names(configuration, List.of(label.toString()), "$resolver \"sealed\"",
                "write keys exactly as in the thread context: \"key\": \"email\"");
    }

    /** An exception would make Log4j drop the layout, and write messages in the clear. */
    private static TemplateResolver<LogEvent> inside(EventResolverContext context, TemplateResolverConfig config) {
        String name = text(config, "of", "");
        EventResolverFactory factory = name.equals(NAME) ? null : context.getResolverFactoryByName().get(name);
        try {
            if (factory == null) {
                throw new IllegalArgumentException("\"of\": \"" + name + "\" is not a resolver");
            }
            TemplateResolver<LogEvent> made = factory.create(context, config);
            if (made.isFlattening()) {
                throw new IllegalArgumentException("a resolver with \"flatten\" returns several values and cannot be sealed");
            }
            return made;
        } catch (RuntimeException error) {
            LOGGER.error("$resolver \"sealed\": {}\n"
                    + "hint: {\"$resolver\": \"sealed\", \"of\": \"mdc\", \"key\": \"email\"}", error.getMessage());
            return null;
        }
    }

    private static String text(TemplateResolverConfig config, String key, String otherwise) {
        return config.getObject(key) instanceof String text ? text : otherwise;
    }

    @Override
    public boolean isResolvable() {
        return inside == null || inside.isResolvable();
    }

    @Override
    public boolean isResolvable(LogEvent event) {
        counts.record();
        try {
            return inside == null || inside.isResolvable(event);
        } catch (Throwable error) {
            // It is asked again, and then there is a place for a marker.
            return true;
        }
    }

    @Override
    public void resolve(LogEvent event, JsonWriter writer) {
        StringBuilder out = writer.getStringBuilder();
        int start = out.length();
        String token;
        try {
            token = sealed(event, writer, start);
        } catch (Throwable error) {
            LOGGER.warn("the content of \"{}\" could not be formatted: {}", label, error.getClass().getName());
            token = Sealers.find(sealer).unsealed(label, error.getClass().getName());
        }
        if (token != null) {
            wipe(out, start);
            // Not by writeString, which cuts what is longer than maxStringLength; nothing but quotes is to be escaped.
            out.append('"').append(token.replace("\"", "\\\"")).append('"');
        }
    }

    /** Null if there is nothing to seal. */
    private String sealed(LogEvent event, JsonWriter writer, int start) {
        if (inside == null) {
            return Sealers.find(sealer).unsealed(label, "$resolver \"sealed\" has nothing to seal");
        }
        inside.resolve(event, writer);
        String json = writer.getStringBuilder().substring(start);
        if (json.equals("null") || json.equals("\"\"")) {
            return null;
        }
        counts.matched(label.toString());
        String text = json.startsWith("\"") ? (String) JsonReader.read(json) : json;
        return Tokens.sealJson(WithoutHeaders.sealer(configuration, sealer), label, json, text);
    }

    /** The buffer lives on, and would show it to who reads memory. */
    private static void wipe(StringBuilder out, int start) {
        for (int at = start; at < out.length(); at++) {
            out.setCharAt(at, '\0');
        }
        out.setLength(start);
    }

    /** Makes {@link SealedResolver} known to JsonTemplateLayout. */
    @Plugin(name = "SealedResolverFactory", category = TemplateResolverFactory.CATEGORY)
    public static final class Factory implements EventResolverFactory {
        private static final Factory INSTANCE = new Factory();

        private Factory() {}

        /**
         * Called by Log4j.
         *
         * @return the only one
         */
        @PluginFactory
        public static Factory getInstance() {
            return INSTANCE;
        }

        @Override
        public String getName() {
            return NAME;
        }

        @Override
        public SealedResolver create(EventResolverContext context, TemplateResolverConfig config) {
            return new SealedResolver(context, config);
        }
    }
}
