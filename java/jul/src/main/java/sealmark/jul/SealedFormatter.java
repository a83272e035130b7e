package sealmark.jul;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.UnsupportedEncodingException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.ErrorManager;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import java.util.stream.Collectors;
import sealmark.log.LogSealer;
import sealmark.log.SealerSettings;
import sealmark.log.Sealers;
import sealmark.log.SessionLines;
import sealmark.log.Shape;

/**
 * Formats records with another formatter, replaces {@link sealmark.log.Sealed} parameters and the messages of exceptions with
 * tokens, and adds the headers that readers need. Each handler needs its own instance. In {@code logging.properties}:
 *
 * <pre>{@code
 * handlers=java.util.logging.FileHandler
 * java.util.logging.FileHandler.formatter=sealmark.jul.SealedFormatter
 * sealmark.jul.SealedFormatter.recipientsFile=recipients.txt
 * }</pre>
 *
 * <p>{@link #seal} does the same for a handler that code has created, and for JBoss LogManager. {@code sealmark log open}
 * restores the log that the other formatter would have written. A value that cannot be sealed, for example because there is
 * no key, becomes a marker, {@code ~s1x~label~}.
 *
 * <table>
 * <caption>Settings, besides those of {@link SealerSettings}; lists have commas or blanks between their words</caption>
 * <tr><td>{@code formatter}</td><td>the class of the other formatter, {@link SimpleFormatter} by default</td></tr>
 * <tr><td>{@code seal}</td><td>{@code parameters} to seal the parameters of all messages, under the label {@code match} because
 *     they have no names; {@code message} to seal whole messages. Exceptions and {@code Sealed} values are sealed in
 *     addition</td></tr>
 * <tr><td>{@code clear}</td><td>{@code exceptions}, if their messages may stay in the clear</td></tr>
 * <tr><td>{@code sealer}</td><td>the name of the sealer in {@link Sealers}, {@code default} by default. One that is made from
 *     settings is installed under it</td></tr>
 * <tr><td>{@code shape}</td><td>{@code PLAIN} or {@code JSON}, if the other formatter's class does not say so</td></tr>
 * </table>
 */
public final class SealedFormatter extends Formatter {
    private static final String TOKEN = "~s1";
    private static final String HEADER = "~s1h~";
    /** No thread waits so long for the lock of a file with a line that has a header. */
    private static final long WRITTEN_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int MOST_ENDED = 8;
    /** From this Java on its own handlers format before they take their lock (JDK-8349206). */
    private static final int FORMATS_WITHOUT_LOCK = 25;
    /** The settings of each sealer that was made here, so that handlers with the same ones share it. */
    private static final Map<String, Map<String, String>> INSTALLED = new ConcurrentHashMap<>();

    private final Map<String, String> settings = new HashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Formatter formatter;
    private volatile State state;
    /** The thread that makes the sealer has this state for what it logs meanwhile. */
    private State beginning;
    private Handler handler;
    /** The line with tokens that was formatted last: others on their way have tokens of the same sessions. */
    private String last = "";
    /** Last lines with tokens of the files that ended a moment ago: lines on their way may have tokens of their sessions. */
    private final Deque<Ended> ended = new ArrayDeque<>();
    /** Headers that may not be in the log yet, and the threads whose line has them. */
    private String headers = "";
    private final Set<Thread> carriers = Collections.newSetFromMap(new WeakHashMap<>());
    private long carriedSince;
    private boolean isWrittenUnderLock;

    private record Ended(String last, long at) {}

    /** Follows from the settings. */
    private record State(Formatter formatter, SessionLines own, SealedRecords records, String sealer) {}

    /** A formatter with the settings in {@code logging.properties}, for java.util.logging to make. */
    public SealedFormatter() {
        this(null);
        LogManager manager = LogManager.getLogManager();
        for (String name : names()) {
            set(name, manager.getProperty(SealedFormatter.class.getName() + "." + name));
        }
        begin();
    }

    /**
     * A formatter without settings: the sealer is the one that the application installs.
     *
     * @param formatter writes the records
     */
    public SealedFormatter(Formatter formatter) {
        this.formatter = formatter;
    }

    /**
     * Seals what a handler writes from now on.
     *
     * @param handler keeps its formatter inside the new one
     * @param settings texts by name
     * @return the handler's new formatter, or the one that it had if that seals with the same settings
     * @throws IllegalArgumentException if no setting has one of the names
     * @throws IllegalStateException if the handler is sealed with other settings
     */
    public static SealedFormatter seal(Handler handler, Map<String, String> settings) {
        Formatter inside = handler.getFormatter();
        SealedFormatter sealed = new SealedFormatter(inside == null ? new SimpleFormatter() : inside);
        settings.forEach(sealed::set);
        if (inside instanceof SealedFormatter known) {
            if (known.settings.equals(sealed.settings)) {
                return known;
            }
            throw new IllegalStateException("the handler is already sealed with other settings\nhint: seal it once");
        }
        // A sealer that is made logs, perhaps to this handler, which the first record would lock.
        sealed.begin();
        handler.setFormatter(sealed);
        return sealed;
    }

    private static Set<String> names() {
        Set<String> all = new TreeSet<>(Set.of("formatter", "seal", "clear", "sealer", "shape"));
        all.addAll(SealerSettings.names());
        return all;
    }

    /**
     * Sets one of the above; called before the first record, and not after {@link #seal}.
     *
     * @param setting its name
     * @param text null counts as if it were not set
     * @return this formatter
     * @throws IllegalArgumentException if no setting has that name
     * @throws IllegalStateException if a record was formatted before, or {@link #seal} has read the settings
     */
    public SealedFormatter set(String setting, String text) {
        if (!names().contains(setting)) {
            throw new IllegalArgumentException("a formatter has no setting \"" + setting + "\"\nhint: use one of "
                    + String.join(", ", names()));
        }
        if (state != null) {
            throw new IllegalStateException("setting \"" + setting + "\" has no effect after the first record, or after"
                    + " seal\nhint: call set earlier");
        }
        settings.remove(setting);
        if (text != null) {
            settings.put(setting, text.strip());
        }
        return this;
    }

    private State begin() {
        State begun = state;
        if (begun != null) {
            return begun;
        }
        lock.lock();
        try {
            if (state == null && beginning == null) {
                beginning = read();
                try {
                    install(beginning.sealer);
                    state = beginning;
                } finally {
                    beginning = null;
                }
            }
            return state == null ? beginning : state;
        } finally {
            lock.unlock();
        }
    }

    private State read() {
        Formatter inner = inner();
        String sealer = settings.getOrDefault("sealer", Sealers.DEFAULT);
        Set<String> seal = words("seal", Set.of("parameters", "message"));
        boolean exceptions = !words("clear", Set.of("exceptions")).contains("exceptions");
        return new State(inner, new SessionLines(shape(inner)), new SealedRecords(sealer, seal.contains("message"),
                seal.contains("parameters"), exceptions), sealer);
    }

    private Formatter inner() {
        String name = settings.get("formatter");
        if (name == null) {
            return formatter == null ? new SimpleFormatter() : formatter;
        }
        try {
            return (Formatter) ClassLoader.getSystemClassLoader().loadClass(name).getConstructor().newInstance();
        } catch (ReflectiveOperationException | ClassCastException | LinkageError error) {
            tell("formatter \"" + name + "\" cannot be created, so java.util.logging.SimpleFormatter is used: " + error
                    + "\nhint: name a class with a public constructor without parameters");
            return new SimpleFormatter();
        }
    }

    private Shape shape(Formatter inner) {
        String wanted = settings.getOrDefault("shape", inner.getClass().getSimpleName().contains("Json") ? "JSON" : "PLAIN");
        try {
            return Shape.valueOf(wanted.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException unknown) {
            tell("\"" + wanted + "\" is not a shape of a line\nhint: use PLAIN or JSON");
            return Shape.PLAIN;
        }
    }

    /** The words of a list. If one is unknown, it may have meant any value to be sealed. */
    private Set<String> words(String list, Set<String> known) {
        Set<String> words = new TreeSet<>(SealerSettings.words(settings.get(list)));
        List<String> unknown = words.stream().filter(word -> !known.contains(word)).toList();
        boolean isSeal = list.equals("seal");
        unknown.forEach(word -> tell("\"" + word + "\" in " + list + " is unknown, so "
                + (isSeal ? "whole messages are sealed" : "it has no effect") + "\nhint: "
                + String.join(", ", new TreeSet<>(known))));
        if (unknown.isEmpty()) {
            return words;
        }
        words.addAll(isSeal ? known : Set.of());
        return words;
    }

    /** Makes the sealer that the settings describe, unless it was made for another handler. */
    private void install(String name) {
        SealerSettings sealer = new SealerSettings();
        Map<String, String> texts = new HashMap<>(settings);
        texts.keySet().retainAll(SealerSettings.names());
        texts.forEach(sealer::set);
        if (!sealer.hasReader() || (texts.equals(INSTALLED.get(name)) && Sealers.isInstalled(name))) {
            return;
        }
        // Two handlers that begin at once may make one each, and the first is handed over to the second. A lock is no way out:
        // a sealer that is made logs, to handlers that other threads hold.
        LogSealer made = sealer.install(name, Path.of(""), (why, cause) -> tell(
                "values are replaced with markers, because there is no sealer: " + why));
        if (made != null) {
            INSTALLED.put(name, texts);
        }
    }

    @Override
    public String format(LogRecord record) {
        State now = begin();
        String safe = now.own.withoutLookalikes(sealer(now), now.own.format(() -> formatted(now, record)));
        lock.lock();
        try {
            return headersBefore(now, safe) + safe;
        } finally {
            lock.unlock();
        }
    }

    /** Handlers report an exception with its message, in which a value may be. */
    private static String formatted(State now, LogRecord record) {
        try {
            return now.formatter.format(now.records.sealed(record));
        } catch (RuntimeException | StackOverflowError error) {
            throw new IllegalStateException("a record was not formatted: " + error.getClass().getName());
        }
    }

    private static LogSealer sealer(State now) {
        return Sealers.find(now.sealer);
    }

    /**
     * The lines before a line. Many handlers format without a lock, so that another line may come before the one with the
     * header. All have it until a thread comes back, which has written the line that it had.
     */
    private String headersBefore(State now, String line) {
        boolean hasTokens = line.contains(TOKEN);
        String before = now.own.before(line);
        last = hasTokens ? line : last;
        Thread me = Thread.currentThread();
        if (isWrittenUnderLock || carriers.contains(me) || System.nanoTime() - carriedSince > WRITTEN_NANOS) {
            carriers.clear();
            headers = "";
        }
        String more = before.lines().filter(one -> one.contains(HEADER)).map(one -> one + "\n").collect(Collectors.joining());
        String carried = headers;
        if (!more.isEmpty()) {
            carriers.clear();
            headers += more;
            carriedSince = System.nanoTime();
        }
        if (headers.isEmpty() || !hasTokens) {
            return before;
        }
        carriers.add(me);
        return before + carried;
    }

    @Override
    public String getHead(Handler owner) {
        State now = begin();
        lock.lock();
        try {
            checkHandler(owner);
            // A handler may begin a file between formatting a line and writing it.
            return now.formatter.getHead(owner) + ended.stream().map(one -> now.own.before(one.last)).collect(
                    Collectors.joining()) + now.own.before(last);
        } finally {
            lock.unlock();
        }
    }

    private void checkHandler(Handler owner) {
        if (handler != null && owner != handler) {
            owner.getErrorManager().error("a SealedFormatter belongs to two handlers, so one log lacks headers\n"
                    + "hint: give each handler a formatter of its own", null, ErrorManager.GENERIC_FAILURE);
        }
        handler = owner;
        isWrittenUnderLock = Runtime.version().feature() < FORMATS_WITHOUT_LOCK
                && owner.getClass().getName().startsWith("java.util.logging.");
        try {
            String some = "~s1a~label~";
            byte[] bytes = owner.getEncoding() == null ? some.getBytes(UTF_8) : some.getBytes(owner.getEncoding());
            if (!new String(bytes, ISO_8859_1).equals(some)) {
                throw new UnsupportedEncodingException(owner.getEncoding());
            }
        } catch (UnsupportedEncodingException error) {
            owner.getErrorManager().error("tokens cannot be found in the encoding \"" + owner.getEncoding()
                    + "\"\nhint: set the handler's encoding to UTF-8", null, ErrorManager.GENERIC_FAILURE);
        }
    }

    /** Ends the sessions of the log. */
    @Override
    public String getTail(Handler owner) {
        State now = begin();
        lock.lock();
        try {
            headers = "";
            ended.removeIf(one -> System.nanoTime() - one.at > WRITTEN_NANOS);
            if (!isWrittenUnderLock) {
                ended.add(new Ended(last, System.nanoTime()));
                // Else files that are begun quickly would have headers only, and each would begin the next one.
                if (ended.size() > MOST_ENDED) {
                    ended.removeFirst();
                }
            }
            return now.own.closing() + now.formatter.getTail(owner);
        } finally {
            lock.unlock();
        }
    }

    private static void tell(String message) {
        System.err.println("sealmark: ERROR: " + message);
    }
}
