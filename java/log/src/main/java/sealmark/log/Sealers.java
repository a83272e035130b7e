package sealmark.log;

import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The sealers of an application, by name: where adapters and {@link Sealed} find them. Each is seen over JMX as
 * {@code sealmark:type=LogSealer,name="…"} with the attributes of {@link LogSealerMXBean}.
 */
public final class Sealers {
    /** The name of the sealer that {@link Sealed#of(String, Object)} uses. */
    public static final String DEFAULT = "default";

    private static final System.Logger LOGGER = System.getLogger(Sealers.class.getName());
    private static final ConcurrentMap<String, LogSealer> INSTALLED = new ConcurrentHashMap<>();
    private static final LogSealer NONE = LogSealer.none();
    /** Names that JMX shows a sealer of ours under. */
    private static final Set<String> SHOWN = new HashSet<>();

    private Sealers() {}

    /**
     * Gives a sealer a name. One that had the name before is closed; who still holds it seals with the new one.
     *
     * @param name any text that is not empty
     * @param sealer is closed by {@link #remove}, which an application calls that is undeployed, or when another takes its
     *     name
     */
    public static void install(String name, LogSealer sealer) {
        LogSealer before = INSTALLED.put(name, sealer);
        if (before == sealer) {
            return;
        }
        if (before != null) {
            before.handOverTo(sealer);
        }
        manage(name, sealer);
    }

    /**
     * Closes the sealer of that name and forgets it, if there is one.
     *
     * @param name what it was installed as
     */
    public static void remove(String name) {
        LogSealer removed = INSTALLED.remove(name);
        if (removed != null) {
            removed.close();
            manage(name, null);
        }
    }

    /**
     * The sealer of that name.
     *
     * @param name what it was installed as
     * @return never null: where none is installed, one that replaces every value by {@link Label#unsealed}
     */
    public static LogSealer find(String name) {
        return INSTALLED.getOrDefault(name, NONE);
    }

    /** Shows it to JMX in the place of what we showed before; logging goes on where that fails. */
    private static synchronized void manage(String name, LogSealer sealer) {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName known = new ObjectName("sealmark:type=LogSealer,name=" + ObjectName.quote(name));
            // Another class loader's of the same name is not ours to take away.
            if (SHOWN.remove(name) && server.isRegistered(known)) {
                server.unregisterMBean(known);
            }
            if (sealer != null) {
                server.registerMBean(new Managed(sealer), known);
                SHOWN.add(name);
            }
        } catch (JMException | SecurityException error) {
            LOGGER.log(System.Logger.Level.WARNING, () -> "sealer \"" + name + "\" is not seen over JMX: " + error);
        }
    }

    /** Keeps {@link LogSealer} itself free of management. */
    private record Managed(LogSealer sealer) implements LogSealerMXBean {
        @Override
        public String getEngine() {
            return sealer.engine();
        }

        @Override
        public long getSealed() {
            return sealer.sealed();
        }

        @Override
        public long getFailed() {
            return sealer.failed();
        }

        @Override
        public String getLastFailure() {
            return sealer.lastFailure();
        }
    }
}
