package sealmark.log.access;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import sealmark.log.LogSealer;
import sealmark.log.SealerSettings;
import sealmark.log.Sealers;

/**
 * The sealer of an access log: its own while it runs, if its settings name a reader, else the one that is installed under a
 * name. A server starts with wrong settings too, and writes no values in the clear: all become markers then.
 */
public class AccessLogSealer {
    /** Nobody can install a sealer under it. */
    private static final String NOBODY = "";

    private final SealerSettings settings = new SealerSettings();
    /** Names of those that have a text. */
    private final Set<String> given = new LinkedHashSet<>();
    private final String hint;
    private final Consumer<String> error;
    private final Consumer<String> warning;
    private String name = Sealers.DEFAULT;
    private boolean broken;
    private volatile LogSealer built;

    /**
     * A sealer without settings.
     *
     * @param example how an administrator of this server names a file of recipients
     * @param error gets messages on a log that cannot be sealed
     * @param warning gets messages on settings that may be wrong
     */
    public AccessLogSealer(String example, Consumer<String> error, Consumer<String> warning) {
        hint = "\nhint: " + example;
        this.error = error;
        this.warning = warning;
    }

    /**
     * The name in {@link Sealers}.
     *
     * @return {@link Sealers#DEFAULT}, if nobody chose another
     */
    public String name() {
        return name;
    }

    /**
     * Chooses a name in {@link Sealers}. A sealer that is made from settings is installed under it, unless another has it.
     *
     * @param name the name of the sealer
     */
    public void setName(String name) {
        this.name = name;
    }

    /**
     * Sets one of {@link SealerSettings}.
     *
     * @param setting its name
     * @param text null counts as if it were not set
     */
    public void set(String setting, String text) {
        settings.set(setting, text);
        given.remove(setting);
        if (text != null) {
            given.add(setting);
        }
    }

    /**
     * The sealer.
     *
     * @return never null; one that makes markers if there is none
     */
    public LogSealer get() {
        LogSealer ours = built;
        return ours != null ? ours : Sealers.find(broken ? NOBODY : name);
    }

    /**
     * Makes the sealer that the settings describe.
     *
     * @param base the directory in which names of files begin that are not absolute
     * @param charset that of the log
     */
    public void begin(Path base, Charset charset) {
        broken = false;
        try {
            Values.checkTokensIn(charset);
            if (settings.hasReader()) {
                built = build(settings, base);
                if (isFree()) {
                    Sealers.install(name, built);
                }
            } else {
                reportMissing();
            }
        } catch (IOException | RuntimeException | LinkageError fault) {
            broken = true;
            end();
            error.accept("values are replaced by markers, because there is no sealer: " + reason(fault));
        }
    }

    private void reportMissing() {
        if (!given.isEmpty()) {
            error.accept("these settings have no effect without recipient, recipientsFile or preSharedKeyFile: "
                    + String.join(", ", given) + hint);
        }
        if (isFree()) {
            warning.accept("no sealer \"" + name + "\" is installed yet; until then values are replaced by markers" + hint);
        }
    }

    /** Ends the sealer, if it was made from settings. */
    public void end() {
        LogSealer ended = built;
        built = null;
        Sealers.remove(name, ended);
    }

    /**
     * Makes a sealer.
     *
     * @param from the settings
     * @param base as in {@link #begin}
     * @return the sealer, to be closed by {@link #end}
     * @throws IOException as {@link SealerSettings#build} does
     */
    protected LogSealer build(SealerSettings from, Path base) throws IOException {
        return from.build(base);
    }

    private boolean isFree() {
        return Sealers.find(name) == Sealers.find(NOBODY);
    }

    /** Exceptions that are meant for administrators say all in their message. */
    private static String reason(Throwable fault) {
        boolean isMeant = fault instanceof IOException || fault instanceof IllegalArgumentException
                || fault instanceof IllegalStateException;
        return isMeant ? fault.getMessage() : fault.toString();
    }
}
