package sealmark.log.access;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import sealmark.log.LogSealer;
import sealmark.log.SealerSettings;
import sealmark.log.Sealers;
import sealmark.log.Tokens;

/**
 * The settings of an access log, a text for each name, and its sealer. That is one of its own if the settings name a reader,
 * otherwise the one that is installed under a name. A server starts with wrong settings, too, but then writes no value in the
 * clear: all values become markers.
 *
 * <table>
 * <caption>Settings, besides those of {@link SealerSettings}; lists have commas or blanks between their words</caption>
 * <tr><td>{@code seal}</td><td>elements of the server's pattern that are sealed as a whole. The values of parameters
 *     are sealed in any case, wherever the pattern shows them. An element without a name, such as {@code %i}, stands for all
 *     headers. If a word is not an element, everything that clients send is sealed, whatever {@code clear} has. The word
 *     {@code query} changes nothing</td></tr>
 * <tr><td>{@code names}</td><td>parameters, regardless of case, that are sealed even if {@code clear} has them, or has an
 *     element that shows them. A name that matches nothing causes a warning after 1,000 requests and when the log
 *     ends</td></tr>
 * <tr><td>{@code clear}</td><td>parameters that stay in the clear, written exactly as clients send them, or {@code *} for all
 *     except those in {@code names}; and elements that stay in the clear, except for the parameters in {@code names}. If
 *     {@code seal} names an element as well, it is sealed, unless {@code clear} names this one element and {@code seal} only
 *     its kind</td></tr>
 * <tr><td>{@code sealer}</td><td>the name of the sealer in {@link Sealers}, {@code default} if there is none. A sealer that is
 *     made from settings is installed under it, unless another has it</td></tr>
 * </table>
 */
public class AccessLogSealer {
    /** Nobody can install a sealer under it. */
    private static final String NOBODY = "";
    private static final Set<String> CHOICE = Set.of("seal", "names", "clear");

    private final SealerSettings settings = new SealerSettings();
    private final Map<String, String> choice = new HashMap<>();
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
     * @return {@link Sealers#DEFAULT} by default
     */
    public String name() {
        return name;
    }

    /**
     * Sets one of the above.
     *
     * @param setting its name
     * @param text null counts as if it were not set
     * @throws IllegalArgumentException if no setting has that name
     */
    public void set(String setting, String text) {
        if (setting.equals("sealer")) {
            name = text == null ? Sealers.DEFAULT : text.strip();
        } else if (CHOICE.contains(setting)) {
            choice.put(setting, text);
        } else {
            settings.set(setting, text);
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
     * @param base the directory against which relative file names are resolved
     * @param charset that of the log
     */
    public void begin(Path base, Charset charset) {
        broken = false;
        try {
            if (!Tokens.areFoundIn(charset)) {
                throw new IllegalArgumentException("tokens cannot be written in the encoding \"" + charset + "\"\n"
                        + "hint: encoding=\"UTF-8\"");
            }
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
            error.accept("values are replaced with markers, because there is no sealer: " + SealerSettings.reason(fault));
        }
    }

    /**
     * The rules that the settings describe.
     *
     * @param dialect that of the server
     * @param charset that of the log
     * @param json whether values are inside JSON strings
     * @return new ones
     */
    public RequestRules rules(Dialect dialect, Charset charset, boolean json) {
        return new RequestRules(dialect, choice.get("seal"), choice.get("names"), choice.get("clear"),
                new Values(this::get, charset, json), warning);
    }

    private void reportMissing() {
        if (!settings.given().isEmpty()) {
            error.accept("these settings have no effect without recipient, recipientsFile or preSharedKeyFile: "
                    + String.join(", ", settings.given()) + hint);
        }
        if (isFree()) {
            warning.accept("no sealer \"" + name + "\" is installed yet; until then values are replaced with markers" + hint);
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
}
