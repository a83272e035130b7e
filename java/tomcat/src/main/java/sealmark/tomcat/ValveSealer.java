package sealmark.tomcat;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.juli.logging.Log;
import org.apache.juli.logging.LogFactory;
import sealmark.log.LogSealer;
import sealmark.log.SealerSettings;
import sealmark.log.Sealers;

/**
 * The sealer of a valve: its own while it runs, if its attributes name a reader, else the one that is installed under a
 * name. Bad attributes are no reason not to start, and none to write values in the clear: all become markers then.
 */
class ValveSealer {
    private static final Log LOG = LogFactory.getLog(SealedAccessLogValve.class);
    /** Nobody can install a sealer under it. */
    private static final String NOBODY = "";

    private final SealerSettings settings = new SealerSettings();
    /** Names of those that have a text. */
    private final Set<String> given = new LinkedHashSet<>();
    private String name = Sealers.DEFAULT;
    private boolean broken;
    private volatile LogSealer built;

    String name() {
        return name;
    }

    void setName(String name) {
        this.name = name;
    }

    void set(String setting, String text) {
        settings.set(setting, text);
        given.remove(setting);
        if (text != null) {
            given.add(setting);
        }
    }

    LogSealer get() {
        LogSealer ours = built;
        return ours != null ? ours : Sealers.find(broken ? NOBODY : name);
    }

    /**
     * Makes what the attributes say.
     *
     * @param base where names of files begin that are not absolute
     * @param charset that of the log
     */
    void begin(Path base, Charset charset) {
        broken = false;
        try {
            Tokens.checkThereAreSomeIn(charset);
            if (settings.hasReader()) {
                built = build(settings, base);
                if (isFree()) {
                    Sealers.install(name, built);
                }
            } else {
                sayWhatIsMissing();
            }
        } catch (IOException | RuntimeException | LinkageError error) {
            broken = true;
            end();
            LOG.error("values are replaced by markers, because there is no sealer: " + reason(error));
        }
    }

    private void sayWhatIsMissing() {
        String hint = "\nhint: recipientsFile=\"conf/recipients.txt\"";
        if (!given.isEmpty()) {
            LOG.error("these attributes have no effect without recipient, recipientsFile or preSharedKeyFile: "
                    + String.join(", ", given) + hint);
        }
        if (isFree()) {
            LOG.warn("no sealer \"" + name + "\" is installed yet; until then values are replaced by markers" + hint);
        }
    }

    /** Ends it if it is the valve's own. */
    void end() {
        LogSealer ended = built;
        built = null;
        Sealers.remove(name, ended);
    }

    LogSealer build(SealerSettings settings, Path base) throws IOException {
        return settings.build(base);
    }

    private boolean isFree() {
        return Sealers.find(name) == Sealers.find(NOBODY);
    }

    /** Exceptions that are meant for administrators say all in their message. */
    private static String reason(Throwable error) {
        boolean isMeant = error instanceof IOException || error instanceof IllegalArgumentException
                || error instanceof IllegalStateException;
        return isMeant ? error.getMessage() : error.toString();
    }
}
