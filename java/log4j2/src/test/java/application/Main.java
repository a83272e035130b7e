package application;

import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import sealmark.log.Sealed;

/** Logs two values, in a JVM of its own. */
public final class Main {
    private static final Logger LOGGER = LogManager.getLogger("app");

    private Main() {}

    /**
     * Logs as the configuration file wants.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        LOGGER.info("of {}", Sealed.of("email", "mallory@example.org"), new IllegalStateException("secret"));
    }
}
