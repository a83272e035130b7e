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
 * <p>JMX shows each as {@code sealmark:type=LogSealer,name="…"} with the attributes of {@link LogSealerMXBean}. Markers for want
 * of a sealer are counted under {@code name=none}, without quotes, from the first of them on. If another application in the JVM
 * has that name already, {@code loader=…} follows it, a number that tells both apart.
 */
public final class Sealers {
    /** The name of the sealer that {@link Sealed#of(String, Object)} uses. */
    public static final String DEFAULT = "default";

    private static final ConcurrentMap<String, LogSealer> INSTALLED = new ConcurrentHashMap<>();
    private static final LogSealer NONE = LogSealer.none();

    private Sealers() {}

    /**
     * Gives a sealer a name. One that had the name before is closed; who still holds it seals with the new one.
     *
     * @param name any text that is not empty
     * @param sealer is closed by {@link #remove}, which an application calls that is undeployed, or when another takes its
     *     name
     * @throws IllegalArgumentException if the sealer was closed, as by another that took its name
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
     * Closes the sealer of that name and forgets it, if there is one. With the last, {@code name=none} goes, too, until the
     * next marker: JMX does not keep an application then that is undeployed.
     *
     * @param name the name that it was installed by
     */
    public static void remove(String name) {
        remove(name, INSTALLED.get(name));
    }

    /**
     * Closes a sealer, and forgets it if it still has that name: for who installed it and ends, or could make none. Where
     * no other is left, {@code name=none} goes, as in {@link #remove(String)}.
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
     * @return never null: where none is installed, one that replaces every value by {@link Label#unsealed}
     */
    public static LogSealer find(String name) {
        return INSTALLED.getOrDefault(name, NONE);
    }

    /**
     * The sealer for a value in a line that is being formatted. Adapters of logging frameworks ask here for what a pattern
     * or a layout seals: if no log gets the session's header, nobody could ever open the token.
     *
     * @param name the name that it was installed by
     * @param noLog is run if neither {@link OwnLines#format} is on this thread's stack nor the sealer has a side file
     * @return the sealer, or one that replaces every value by {@link Label#unsealed} after {@code noLog} was run
     */
    public static LogSealer forLine(String name, Runnable noLog) {
        LogSealer found = find(name);
        if (found.isNone() || OwnLines.formatting() != null || found.hasSideFile()) {
            return found;
        }
        noLog.run();
        return found.withoutLog();
    }

    /**
     * True if a sealer has that name.
     *
     * @param name the name that it was installed by, or was to be
     * @return false if {@link #find} answers one that replaces every value by a marker
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

    /** The sealer, or one of another name where that one is none. */
    static LogSealer orAnother(LogSealer sealer) {
        return sealer == NONE ? INSTALLED.values().stream().findAny().orElse(NONE) : sealer;
    }
}
