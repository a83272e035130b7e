import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.security.Provider;
import java.security.Security;

/** Arguments, providers and a clock. */
final class Common {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Common() {}

    static String text(String[] arguments, String name, String otherwise) {
        for (String argument : arguments) {
            if (argument.startsWith(name + "=")) {
                return argument.substring(name.length() + 1);
            }
        }
        return otherwise;
    }

    static int number(String[] arguments, String name, int otherwise) {
        return Integer.parseInt(text(arguments, name, Integer.toString(otherwise)));
    }

    /** The JDK knows its own providers, and Bouncy Castle once it is told. */
    static String provider(String[] arguments) throws ReflectiveOperationException {
        String name = text(arguments, "provider", "SunJCE");
        if (name.equals("BC")) {
            Class<?> type = Class.forName("org.bouncycastle.jce.provider.BouncyCastleProvider");
            Security.addProvider((Provider) type.getConstructor().newInstance());
        }
        return name;
    }

    /** CPU time of this thread: other work on the machine is not in it, and neither is that of the compilers. */
    static long nanos() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** CPU time of another thread of this program. */
    static long nanos(Thread thread) {
        return THREADS.getThreadCpuTime(thread.getId());
    }
}
