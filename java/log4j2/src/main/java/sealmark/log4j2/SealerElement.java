package sealmark.log4j2;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Path;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.Node;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginConfiguration;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.apache.logging.log4j.status.StatusLogger;
import sealmark.log.LogSealer;
import sealmark.log.SealerSettings;
import sealmark.log.Sealers;

/**
 * Names the readers of sealed values: {@code <Sealer recipientsFile="recipients.txt"/>}, a child of {@code <Configuration>}.
 *
 * <p>The attributes are {@code name} ({@code default}) and those of {@link SealerSettings}. A relative path is resolved
 * against the working directory of the application.
 *
 * <p>The sealer is installed in {@link Sealers} while the configuration is read, and closed when Log4j stops or reads another
 * configuration. If something in it is wrong, there is no sealer of that name from then on, and values become {@code
 * ~s1x~label~}. This is so with Log4j before 2.17.2, too.
 */
@Plugin(name = "Sealer", category = Node.CATEGORY, elementType = "sealer")
public final class SealerElement {
    private static final Logger LOGGER = StatusLogger.getLogger();
    private static final String OLDEST = "2.17.2";

    private SealerElement() {}

    /**
     * Called by Log4j.
     *
     * @param name the name to install the sealer by
     * @param recipient public keys
     * @param recipientsFile has public keys
     * @param preSharedKeyFile has one key
     * @param padding a number
     * @param rotateAfter a time
     * @param rotateAfterValues a number
     * @param sideFile gets headers
     * @param headerWithin a time
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
            @PluginAttribute("rotateAfterValues") String rotateAfterValues,
            @PluginAttribute("sideFile") String sideFile,
            @PluginAttribute("headerWithin") String headerWithin,
            @PluginAttribute("engine") String engine,
            @PluginConfiguration Configuration configuration) {
        String called = name == null || name.isEmpty() ? Sealers.DEFAULT : name;
        String version = version();
        if (isTooOld(version)) {
            Sealers.remove(called);
            LOGGER.error("<Sealer name=\"{}\">: Log4j {} is too old, so nothing is sealed and values become ~s1x~…~\n"
                    + "hint: use log4j-core {} or later", called, version, OLDEST);
            return null;
        }
        SealerSettings settings = new SealerSettings();
        settings.set("recipient", recipient);
        settings.set("recipientsFile", recipientsFile);
        settings.set("preSharedKeyFile", preSharedKeyFile);
        settings.set("padding", padding);
        settings.set("rotateAfter", rotateAfter);
        settings.set("rotateAfterValues", rotateAfterValues);
        settings.set("sideFile", sideFile);
        settings.set("headerWithin", headerWithin);
        settings.set("engine", engine);
        LogSealer installed = settings.install(called, Path.of(""), (why, cause) -> LOGGER.error(
                "<Sealer name=\"{}\">: {}\nnothing is sealed: values become ~s1x~…~", called, why));
        Endings.add(configuration, configuration, ended -> Sealers.remove(called, installed));
        return null;
    }

    /** Null if nothing says it, as in a jar that has everything. */
    private static String version() {
        ModuleDescriptor module = LoggerContext.class.getModule().getDescriptor();
        return module != null
                ? module.rawVersion().orElse(null)
                : LoggerContext.class.getPackage().getImplementationVersion();
    }

    /** Older ones are not tested: they may write a value where this version's adapter expects none. */
    static boolean isTooOld(String version) {
        try {
            return version != null && Version.parse(version).compareTo(Version.parse(OLDEST)) < 0;
        } catch (IllegalArgumentException unknown) {
            return false;
        }
    }
}
