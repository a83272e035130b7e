package sealmark.log;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import sealmark.log.engine.StackRoom;

/** Shows sealers to JMX, in the place of what we showed before; logging goes on where that fails. */
final class Management {
    private static final System.Logger LOGGER = System.getLogger(Management.class.getName());
    /** The others are written in quotes. */
    private static final String NONE = "none";
    /** The names in JMX of the sealers that were shown, by the names of those sealers. */
    private static final Map<String, ObjectName> SHOWN = new HashMap<>();

    private static volatile boolean noneIsShown;

    private Management() {}

    static void show(String name, LogSealer sealer) {
        change(ObjectName.quote(name), sealer);
    }

    static void hide(String name) {
        change(ObjectName.quote(name), null);
    }

    /** Called amid a log call, which may be deep in its stack and hold what others wait for: so another thread does it. */
    static void showNone(LogSealer none) {
        if (!noneIsShown) {
            StackRoom.require();
            noneIsShown = true;
            Ages.soon(() -> changeNone(none));
        }
    }

    /** Not for one that has been hidden since. */
    private static synchronized void changeNone(LogSealer none) {
        if (noneIsShown) {
            change(NONE, none);
        }
    }

    static synchronized void hideNone() {
        noneIsShown = false;
        change(NONE, null);
    }

    private static synchronized void change(String name, LogSealer sealer) {
        ObjectName before = SHOWN.remove(name);
        try {
            if (before != null) {
                unregister(before);
            }
            if (sealer != null) {
                SHOWN.put(name, register(new Managed(sealer), "sealmark:type=LogSealer,name=" + name));
            }
        } catch (JMException | SecurityException error) {
            LOGGER.log(System.Logger.Level.WARNING, () -> "sealer " + name + " cannot be registered with JMX: " + error);
        }
    }

    private static void unregister(ObjectName name) throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        if (server.isRegistered(name)) {
            server.unregisterMBean(name);
        }
    }

    private static ObjectName register(Managed sealer, String name) throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            return server.registerMBean(sealer, new ObjectName(name)).getObjectName();
        } catch (InstanceAlreadyExistsException anotherLoadersOwn) {
            String loader = Integer.toHexString(System.identityHashCode(Management.class.getClassLoader()));
            return server.registerMBean(sealer, new ObjectName(name + ",loader=" + loader)).getObjectName();
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
        public long getSessionsWithoutHeader() {
            return sealer.sessionsWithoutHeader();
        }

        @Override
        public String getLastFailure() {
            return sealer.lastFailure();
        }
    }
}
