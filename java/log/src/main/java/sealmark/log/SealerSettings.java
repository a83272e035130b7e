package sealmark.log;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * The settings of a sealer in a configuration: a text for each name. Adapters of logging frameworks use this, so that all take
 * the same settings and report the same errors.
 *
 * <pre>{@code
 * SealerSettings settings = new SealerSettings();
 * settings.set("recipientsFile", "recipients.txt");
 * LogSealer sealer = settings.build(Path.of("/etc/app"));
 * }</pre>
 *
 * <table>
 * <caption>Settings, all as in {@link LogSealer.Builder}</caption>
 * <tr><td>{@code recipient}</td><td>public keys, with commas or blanks between them</td></tr>
 * <tr><td>{@code recipientsFile}</td><td>has public keys, one a line</td></tr>
 * <tr><td>{@code preSharedKeyFile}</td><td>has one key, in the place of recipients</td></tr>
 * <tr><td>{@code padding}</td><td>a number of bytes</td></tr>
 * <tr><td>{@code rotateAfter}</td><td>a time as {@code PT1H}</td></tr>
 * <tr><td>{@code rotateAfterValues}</td><td>a number</td></tr>
 * <tr><td>{@code sideFile}</td><td>gets headers</td></tr>
 * <tr><td>{@code headerWithin}</td><td>a time as {@code PT10S}</td></tr>
 * <tr><td>{@code engine}</td><td>{@code auto}, {@code native} or {@code pure-java}</td></tr>
 * </table>
 *
 * <p>Blanks around a text do not matter. Texts are read by {@link #build}, so that an error is reported when a log begins and not
 * while a configuration is read. This class is not for several threads at once.
 */
public final class SealerSettings {
    private static final Pattern BETWEEN = Pattern.compile("[\\s,]+");

    private static final String RECIPIENT = "recipient";
    private static final String RECIPIENTS_FILE = "recipientsFile";
    private static final String PRE_SHARED_KEY_FILE = "preSharedKeyFile";
    private static final List<String> NAMES = List.of(RECIPIENT, RECIPIENTS_FILE, PRE_SHARED_KEY_FILE, "padding",
            "rotateAfter", "rotateAfterValues", "sideFile", "headerWithin", "engine");

    private final Map<String, List<String>> texts = new HashMap<>();
    private final UnaryOperator<String> shown;

    /** Settings that name no reader yet. */
    public SealerSettings() {
        this(UnaryOperator.identity());
    }

    /**
     * Settings that name no reader yet, of a configuration with names of its own.
     *
     * @param shown turns a name above into the one that messages show
     */
    public SealerSettings(UnaryOperator<String> shown) {
        this.shown = shown;
    }

    /**
     * The names above.
     *
     * @return all of them
     */
    public static List<String> names() {
        return NAMES;
    }

    /**
     * Reads a list.
     *
     * @param text words with commas or blanks between them; may be null
     * @return the words
     */
    public static List<String> words(String text) {
        return text == null ? List.of() : BETWEEN.splitAsStream(text).filter(word -> !word.isEmpty()).toList();
    }

    /**
     * Sets one of the above, in the place of what was set before.
     *
     * @param name one of the names above
     * @param text the text of the setting; null counts as if the name were not there
     * @throws IllegalArgumentException if no setting has that name
     */
    public void set(String name, String text) {
        texts.remove(name);
        add(name, text);
    }

    /**
     * Adds another {@code recipient} or {@code recipientsFile}; the other settings are {@link #set}.
     *
     * @param name one of the names above
     * @param text as in {@link #set}
     * @throws IllegalArgumentException if no setting has that name, or another setting than those two is set already
     */
    public void add(String name, String text) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException(
                    "a sealer has no setting \"" + name + "\"\nhint: use one of " + String.join(", ", NAMES));
        }
        if (text == null) {
            return;
        }
        List<String> all = texts.computeIfAbsent(name, none -> new ArrayList<>());
        if (!all.isEmpty() && !name.equals(RECIPIENT) && !name.equals(RECIPIENTS_FILE)) {
            throw new IllegalArgumentException(shown.apply(name) + " is set twice, to \"" + all.get(0) + "\" and \""
                    + text + "\"");
        }
        all.add(text.strip());
    }

    /**
     * Tells if the settings name a reader. If not, an adapter may take a sealer that the application installed.
     *
     * @return true if there is a recipient, a file of them or a pre-shared key, right or wrong
     */
    public boolean hasReader() {
        return texts.containsKey(RECIPIENT) || texts.containsKey(RECIPIENTS_FILE) || texts.containsKey(PRE_SHARED_KEY_FILE);
    }

    /**
     * The names that have a text.
     *
     * @return some of {@link #names}
     */
    public List<String> given() {
        return NAMES.stream().filter(texts::containsKey).toList();
    }

    /**
     * A sealer with these settings.
     *
     * @param base the directory against which relative file names are resolved
     * @return close it when the log ends
     * @throws IOException if a file of keys cannot be read; says which one
     * @throws IllegalArgumentException if a text is wrong, with the text in the message, or as {@link LogSealer.Builder#build}
     *     does
     * @throws IllegalStateException as {@link LogSealer.Builder#build} does
     */
    public LogSealer build(Path base) throws IOException {
        return build(base, LogSealer.builder());
    }

    /** Leaves no key in the builder. */
    LogSealer build(Path base, LogSealer.Builder builder) throws IOException {
        try {
            for (String name : NAMES) {
                for (String text : texts.getOrDefault(name, List.of())) {
                    give(builder, name, text, base);
                }
            }
            return builder.build();
        } finally {
            builder.wipeOwnKey();
        }
    }

    /**
     * Makes a sealer with these settings and installs it. If that fails, no sealer has the name from then on.
     *
     * @param name the name in {@link Sealers}
     * @param base as in {@link #build}
     * @param error gets the reason if it fails, and the cause, or null if the reason says all
     * @return null if it fails; else close it with {@link Sealers#remove(String, LogSealer)}
     */
    public LogSealer install(String name, Path base, BiConsumer<String, Throwable> error) {
        try {
            LogSealer made = build(base);
            Sealers.install(name, made);
            return made;
        } catch (IOException | RuntimeException | LinkageError fault) {
            Sealers.remove(name);
            error.accept(reason(fault), isMeant(fault) ? null : fault);
            return null;
        }
    }

    /**
     * Says why a sealer could not be made.
     *
     * @param fault from {@link #build}
     * @return the message alone, if it is meant for operators
     */
    public static String reason(Throwable fault) {
        return isMeant(fault) ? fault.getMessage() : fault.toString();
    }

    private static boolean isMeant(Throwable fault) {
        return fault instanceof IOException || fault instanceof IllegalArgumentException
                || fault instanceof IllegalStateException;
    }

    private void give(LogSealer.Builder builder, String name, String text, Path base) throws IOException {
        switch (name) {
            case RECIPIENT -> words(text).forEach(builder::recipient);
            case RECIPIENTS_FILE -> read(name, base.resolve(text), builder::recipientsFile);
            case PRE_SHARED_KEY_FILE -> read(name, base.resolve(text), builder::preSharedKeyFile);
            case "padding" -> builder.padding(number(name, text));
            case "rotateAfter" -> builder.rotateAfter(time(name, text));
            case "rotateAfterValues" -> builder.rotateAfterValues(number(name, text));
            case "sideFile" -> builder.sideFile(base.resolve(text));
            case "headerWithin" -> builder.headerWithin(time(name, text));
            default -> builder.engine(
                    parsed(name, text, SealerSettings::engine, "an engine\nhint: use auto, native or pure-java"));
        }
    }

    private void read(String name, Path file, Reading reading) throws IOException {
        try {
            reading.read(file);
        } catch (IOException error) {
            // An operator does not see in a log where a relative path leads.
            throw new IOException(shown.apply(name) + " \"" + file.toAbsolutePath() + "\" cannot be read: "
                    + (error instanceof NoSuchFileException ? "no such file\nhint: " + howToMake(name, file)
                    : String.valueOf(error)), error);
        }
    }

    private static String howToMake(String name, Path file) {
        String shortened = file.getFileName() == null ? "FILE" : file.getFileName().toString();
        return name.equals(RECIPIENTS_FILE)
                ? "sealmark keygen -y key.txt > " + shortened : "sealmark keygen --mode psk -o " + shortened;
    }

    private long number(String name, String text) {
        return parsed(name, text, Long::parseLong, "a number\nhint: 4096");
    }

    private Duration time(String name, String text) {
        return parsed(name, text, Duration::parse, "a time\nhint: write it like PT1H, which is an hour");
    }

    private <T> T parsed(String name, String text, Function<String, T> parser, String what) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException | DateTimeParseException error) {
            throw new IllegalArgumentException(shown.apply(name) + " \"" + text + "\" is not " + what, error);
        }
    }

    private static LogSealer.Engine engine(String word) {
        return LogSealer.Engine.valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** Reads a file of keys. */
    private interface Reading {
        void read(Path file) throws IOException;
    }
}
