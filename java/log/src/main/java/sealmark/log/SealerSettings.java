package sealmark.log;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

    private final Map<Setting, List<String>> texts = new EnumMap<>(Setting.class);
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
        return Arrays.stream(Setting.values()).map(Setting::toString).toList();
    }

    /**
     * Sets one of the above, in the place of what was set before.
     *
     * @param name one of the names above
     * @param text the text of the setting; null counts as if the name were not there
     * @throws IllegalArgumentException if no setting has that name
     */
    public void set(String name, String text) {
        texts.remove(Setting.of(name));
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
        Setting setting = Setting.of(name);
        if (text == null) {
            return;
        }
        List<String> all = texts.computeIfAbsent(setting, none -> new ArrayList<>());
        if (!all.isEmpty() && !setting.hasMany) {
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
        return texts.containsKey(Setting.RECIPIENT)
                || texts.containsKey(Setting.RECIPIENTS_FILE)
                || texts.containsKey(Setting.PRE_SHARED_KEY_FILE);
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
        LogSealer.Builder builder = LogSealer.builder();
        for (Map.Entry<Setting, List<String>> entry : texts.entrySet()) {
            for (String text : entry.getValue()) {
                give(builder, entry.getKey(), text, base);
            }
        }
        return builder.build();
    }

    private void give(LogSealer.Builder builder, Setting setting, String text, Path base) throws IOException {
        switch (setting) {
            case RECIPIENT -> BETWEEN.splitAsStream(text).filter(key -> !key.isEmpty()).forEach(builder::recipient);
            case RECIPIENTS_FILE -> read(setting, base.resolve(text), builder::recipientsFile);
            case PRE_SHARED_KEY_FILE -> read(setting, base.resolve(text), builder::preSharedKeyFile);
            case PADDING -> builder.padding(number(setting, text));
            case ROTATE_AFTER -> builder.rotateAfter(time(setting, text));
            case ROTATE_AFTER_VALUES -> builder.rotateAfterValues(number(setting, text));
            case SIDE_FILE -> builder.sideFile(base.resolve(text));
            case HEADER_WITHIN -> builder.headerWithin(time(setting, text));
            case ENGINE -> builder.engine(engine(setting, text));
        }
    }

    private void read(Setting setting, Path file, Reading reading) throws IOException {
        try {
            reading.read(file);
        } catch (IOException error) {
            // An operator does not see in a log where a relative path leads.
            throw new IOException(shown.apply(setting.name) + " \"" + file.toAbsolutePath() + "\" cannot be read: "
                    + (error instanceof NoSuchFileException ? "no such file\nhint: " + howToMake(setting, file)
                    : String.valueOf(error)), error);
        }
    }

    private static String howToMake(Setting setting, Path file) {
        String name = file.getFileName() == null ? "FILE" : file.getFileName().toString();
        return setting == Setting.RECIPIENTS_FILE
                ? "sealmark keygen -y key.txt > " + name : "sealmark keygen --mode psk -o " + name;
    }

    private long number(Setting setting, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException error) {
            throw wrong(setting, text, "a number\nhint: 4096", error);
        }
    }

    private Duration time(Setting setting, String text) {
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException error) {
            throw wrong(setting, text, "a time\nhint: write it like PT1H, which is an hour", error);
        }
    }

    private LogSealer.Engine engine(Setting setting, String text) {
        try {
            return LogSealer.Engine.valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException error) {
            throw wrong(setting, text, "an engine\nhint: auto, native or pure-java", error);
        }
    }

    private IllegalArgumentException wrong(Setting setting, String text, String what, Exception error) {
        return new IllegalArgumentException(shown.apply(setting.name) + " \"" + text + "\" is not " + what, error);
    }

    /** Reads a file of keys. */
    private interface Reading {
        void read(Path file) throws IOException;
    }

    private enum Setting {
        RECIPIENT("recipient", true),
        RECIPIENTS_FILE("recipientsFile", true),
        PRE_SHARED_KEY_FILE("preSharedKeyFile", false),
        PADDING("padding", false),
        ROTATE_AFTER("rotateAfter", false),
        ROTATE_AFTER_VALUES("rotateAfterValues", false),
        SIDE_FILE("sideFile", false),
        HEADER_WITHIN("headerWithin", false),
        ENGINE("engine", false);

        private final String name;
        private final boolean hasMany;

        Setting(String name, boolean hasMany) {
            this.name = name;
            this.hasMany = hasMany;
        }

        private static Setting of(String name) {
            return Arrays.stream(values()).filter(setting -> setting.name.equals(name)).findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("a sealer has no setting \"" + name + "\"\nhint: "
                            + String.join(", ", names())));
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
