package sealmark.log;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.stream.Stream;

/**
 * Ends sessions before the JVM is checkpointed, and lets none begin before it goes on: an image that is restored twice
 * would seal two values with one counter.
 * CRaC's interfaces are asked for by name, as most JVMs lack them.
 */
final class Checkpoints {
    private static final Set<LogSealer> SEALERS =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    /** Kept here, as contexts keep their resources weakly. */
    @SuppressWarnings("UnusedVariable")
    private static final Object RESOURCE = register();
    /** Guarded by the sealers. */
    private static boolean isSuspended;

    private Checkpoints() {}

    static void endSessionsOf(LogSealer sealer) {
        synchronized (SEALERS) {
            SEALERS.add(sealer);
            if (isSuspended) {
                sealer.suspend();
            }
        }
    }

    /** Null if this JVM knows no checkpoints. Some have their own package, which this property names (AWS Lambda). */
    private static Object register() {
        return Stream.of(System.getProperty("org.crac.Core.Compat", ""), "jdk.crac", "org.crac")
                .map(Checkpoints::register).filter(Objects::nonNull).findFirst().orElse(null);
    }

    private static Object register(String where) {
        try {
            Class<?> resourceType = Class.forName(where + ".Resource");
            Object resource = Proxy.newProxyInstance(
                    resourceType.getClassLoader(), new Class<?>[] {resourceType}, Checkpoints::answer);
            Object context = Class.forName(where + ".Core").getMethod("getGlobalContext").invoke(null);
            Class.forName(where + ".Context").getMethod("register", resourceType).invoke(context, resource);
            return resource;
        } catch (ReflectiveOperationException | LinkageError | RuntimeException none) {
            return null;
        }
    }

    private static Object answer(Object resource, Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(resource);
            case "equals" -> resource == arguments[0];
            case "toString" -> "sealmark";
            case "beforeCheckpoint" -> suspend(true);
            default -> suspend(false);
        };
    }

    private static Object suspend(boolean isWanted) {
        synchronized (SEALERS) {
            isSuspended = isWanted;
            SEALERS.forEach(isWanted ? LogSealer::suspend : LogSealer::resume);
        }
        return null;
    }
}
