package example;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import sealmark.log.Sealed;

/** A Spring Boot application; {@code application.properties} names the values that are sealed. */
@SpringBootApplication
public class Main {
    private static final Logger LOGGER = LoggerFactory.getLogger(Main.class);

    /** Spring makes one. */
    public Main() {}

    /**
     * Logs a few lines to the console.
     *
     * @param arguments those of Spring Boot
     */
    public static void main(String[] arguments) {
        SpringApplication.run(Main.class, arguments);
        log("hanako", "hanako@example.com");
    }

    static void log(String user, String email) {
        MDC.put("user", user);
        LOGGER.info("login, email={}", Sealed.of("email", email));
        LOGGER.atInfo().addKeyValue("email", email).log("paid by {}", email);
        LOGGER.warn("refused", new IllegalArgumentException("no such user: " + user, new IllegalStateException(email)));
        // Spring Boot brings what logs with java.util.logging to the same appender.
        java.util.logging.Logger.getLogger(Main.class.getName()).warning("of an older library: " + email);
        MDC.clear();
    }
}
