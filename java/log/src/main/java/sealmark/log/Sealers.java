package sealmark.log;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The sealers of an application, by name. Adapters and {@link Sealed} find them here.
 *
 * <pre>{@code
 * Sealers.install(Sealers.DEFAULT, LogSealer.builder().recipientsFile(Path.of("recipients.txt")).build());
 * logger.info("login of {}", Sealed.of("email", email));
 * Sealers.remove(Sealers.DEFAULT);
 * }</pre>
 *
 * <p>JMX shows each as {@code sealmark:type=LogSealer,name="…"} with the attributes of {@link LogSealerMXBean}. Markers that
 * are written because no sealer is installed are counted under {@code name=none}, without quotes, which is registered with the
 * first of them. If another application in the JVM has registered that name already, a number follows it as {@code loader=…}.
 */
public final class Sealers {
    /** The name of the sealer that {@link Sealed#of(String, Object)} uses. */
    public static final String DEFAULT = "default";

    private static final ConcurrentMap<String, LogSealer> INSTALLED = new ConcurrentHashMap<>();
    private static final LogSealer NONE = LogSealer.none();

    private Sealers() {}

    /**
     * Gives a sealer a name. A sealer that had the name before is closed; code that still holds it seals with the new one.
     *
     * @param name any text that is not empty
     * @param sealer is closed when another takes its name, and by {@link #remove}, which an application calls when it is
     *     undeployed
     * @throws IllegalArgumentException if the sealer was closed, for example because another one took its name
     */
    public static void install(String name, LogSealer sealer) {
        // One at a time, and none that was closed: else two sealers could each have the other to follow.
        synchronized (INSTALLED) {
            if (sealer.isClosed()) {
                throw new IllegalArgumentException("sealer \"" + name + "\" was already closed\nhint: install a new one");
            }
            LogSealer before = INSTALLED.put(name, sealer);
            if (before == sealer) {
                return;
            }
            if (before != null) {
                before.handOverTo(sealer);
                before.close();
            }
        }
        Management.show(name, sealer);
    }

    /**
     * Closes the sealer of that name and forgets it, if there is one. When the last sealer is removed, {@code name=none} is
     * unregistered, too, until the next marker, so that JMX does not keep an undeployed application in memory.
     *
     * @param name the name that it was installed by
     */
    public static void remove(String name) {
        remove(name, INSTALLED.get(name));
    }

    /**
     * Closes a sealer, and forgets it if it still has that name: for code that installed it and ends, or that could not make
     * one. {@code name=none} is unregistered as in {@link #remove(String)}.
     *
     * @param name the name that it was installed by, or was to be
     * @param sealer null if there was none to be installed
     */
    public static void remove(String name, LogSealer sealer) {
        if (sealer != null) {
            if (INSTALLED.remove(name, sealer)) {
                Management.hide(name);
            }
            sealer.close();
        }
        if (INSTALLED.isEmpty()) {
            Management.hideNone();
        }
    }

    /**
     * The sealer of that name.
     *
     * @param name the name that it was installed by
     * @return never null: if none is installed, one that replaces every value with {@link Label#unsealed}
     */
    public static LogSealer find(String name) {
        return INSTALLED.getOrDefault(name, NONE);
    }

    /**
     * The sealer for a value in a line that is being formatted. Adapters of logging frameworks ask here for what a pattern
     * or a layout seals: if no log gets the session's header, nobody could ever open the token.
     *
     * @param name the name that it was installed by
     * @param noLog is run if neither {@link SessionLines#format} is on this thread's stack nor the sealer has a side file
     * @return the sealer, or one that replaces every value with {@link Label#unsealed} after {@code noLog} was run
     */
    public static LogSealer forLine(String name, Runnable noLog) {
        LogSealer found = find(name);
        if (found.isNone() || SessionLines.formatting() != null || found.hasSideFile()) {
            return found;
        }
        noLog.run();
        return found.withoutLog();
    }

    /**
     * True if a sealer has that name.
     *
     * @param name the name that it was installed by, or was to be
     * @return false if {@link #find} returns one that replaces every value with a marker
     */
    public static boolean isInstalled(String name) {
        return INSTALLED.containsKey(name);
    }

    /**
     * True if readers of a sealer's tokens need its headers in the log itself.
     *
     * @param name the name that it was installed by
     * @return false if the sealer has a side file
     */
    public static boolean needsHeader(String name) {
        return !find(name).hasSideFile();
    }

    /** True if these are the sessions that an installed sealer has for values outside of any line. */
    static boolean have(CurrentSession sessions) {
        return INSTALLED.values().stream().anyMatch(sealer -> sealer.has(sessions));
    }

    /** The sealer, or one of another name where that one is none. */
    static LogSealer orAnother(LogSealer sealer) {
        return sealer == NONE ? INSTALLED.values().stream().findAny().orElse(NONE) : sealer;
    }
}
