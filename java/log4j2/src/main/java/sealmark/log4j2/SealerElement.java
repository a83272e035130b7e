package sealmark.log4j2;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.Node;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginConfiguration;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.apache.logging.log4j.status.StatusLogger;
import sealmark.log.Builder;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;

/**
 * Says for whom values are sealed, and how: {@code <Sealer recipient="age1…"/>}, a child of {@code <Configuration>}.
 *
 * <p>The attributes are {@code name} ({@code default}), {@code recipient} (several with spaces or commas between),
 * {@code recipientsFile}, {@code preSharedKeyFile}, {@code padding} (bytes), {@code rotateAfter} (as {@code PT1H}),
 * {@code sideFile} and {@code engine} ({@code auto}, {@code native} or {@code pure-java}).
 *
 * <p>The sealer is installed in {@link Sealers} while the configuration is read, and closed when Log4j stops or reads
 * another configuration with one of that name. Where something is wrong with it, there is none of that name from then
 * on, and values become {@code ~s1x~label~}.
 */
@Plugin(name = "Sealer", category = Node.CATEGORY, elementType = "sealer")
public final class SealerElement {
    private static final Logger LOGGER = StatusLogger.getLogger();

    private SealerElement() {}

    /**
     * Called by Log4j.
     *
     * @param name as above, like the others
     * @param recipient public keys
     * @param recipientsFile has public keys
     * @param preSharedKeyFile has one key
     * @param padding a number
     * @param rotateAfter a time
     * @param sideFile gets headers
     * @param engine a word
     * @param configuration that the element stands in
     * @return null: nothing for Log4j to keep
     */
    @PluginFactory
    public static SealerElement install(
            @PluginAttribute("name") String name,
            @PluginAttribute("recipient") String recipient,
            @PluginAttribute("recipientsFile") String recipientsFile,
            @PluginAttribute("preSharedKeyFile") String preSharedKeyFile,
            @PluginAttribute("padding") String padding,
            @PluginAttribute("rotateAfter") String rotateAfter,
            @PluginAttribute("sideFile") String sideFile,
            @PluginAttribute("engine") String engine,
            @PluginConfiguration Configuration configuration) {
        String called = name == null || name.isEmpty() ? Sealers.DEFAULT : name;
        try {
            Builder builder = LogSealer.builder();
            readers(builder, recipient, recipientsFile, preSharedKeyFile);
            settings(builder, padding, rotateAfter, sideFile, engine);
            LogSealer sealer = builder.build();
            Sealers.install(called, sealer);
            removeAtTheEnd(configuration.getLoggerContext(), called, sealer);
        } catch (IOException error) {
            fail(called, error.toString());
        } catch (RuntimeException | LinkageError error) {
            fail(called, String.valueOf(error.getMessage()));
        }
        return null;
    }

    private static void fail(String name, String what) {
        Sealers.remove(name);
        LOGGER.error("<Sealer name=\"{}\">: {}\nnothing is sealed: values become ~s1x~…~", name, what);
    }

    private static void readers(Builder builder, String recipient, String recipientsFile, String preSharedKeyFile)
            throws IOException {
        Words.of(recipient).forEach(builder::recipient);
        if (recipientsFile != null) {
            builder.recipientsFile(Path.of(recipientsFile));
        }
        if (preSharedKeyFile != null) {
            builder.preSharedKeyFile(Path.of(preSharedKeyFile));
        }
    }

    private static void settings(
            Builder builder, String padding, String rotateAfter, String sideFile, String engine) {
        if (padding != null) {
            builder.padding(number(padding));
        }
        if (rotateAfter != null) {
            builder.rotateAfter(time(rotateAfter));
        }
        if (sideFile != null) {
            builder.sideFile(Path.of(sideFile));
        }
        if (engine != null) {
            builder.engine(engine(engine));
        }
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException error) {
            throw new IllegalArgumentException("padding=\"" + text + "\" is no number of bytes\nhint: 32", error);
        }
    }

    private static Duration time(String text) {
        try {
            return Duration.parse(text.trim());
        } catch (DateTimeParseException error) {
            throw new IllegalArgumentException("rotateAfter=\"" + text + "\" is no time\nhint: PT1H is an hour", error);
        }
    }

    private static LogSealer.Engine engine(String text) {
        try {
            return LogSealer.Engine.valueOf(text.trim().toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException error) {
            throw new IllegalArgumentException(
                    "engine=\"" + text + "\" is none\nhint: auto, native or pure-java", error);
        }
    }

    /** Not before: what is queued is still to be sealed, and files are to be closed. */
    private static void removeAtTheEnd(LoggerContext context, String name, LogSealer sealer) {
        if (context != null) {
            context.addShutdownListener(stopped -> {
                if (Sealers.find(name) == sealer) {
                    Sealers.remove(name);
                }
            });
        }
    }
}
