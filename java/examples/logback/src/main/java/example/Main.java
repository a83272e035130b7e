package example;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import sealmark.log.Sealed;

/** Logs what nobody may read who has no key; {@code logback.xml} beside it says what that is. */
public final class Main {
    private static final Logger LOGGER = LoggerFactory.getLogger(Main.class);

    private Main() {}

    /**
     * Logs a few lines to {@code app.log}.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        // The code says what is sealed …
        LOGGER.info("login, email={}", Sealed.of("email", "hanako@example.com"));
        // … or the pattern does: entries of the MDC, key-value pairs, messages of exceptions.
        MDC.put("user", "hanako");
        LOGGER.atInfo().addKeyValue("card", "4111 1111 1111 1111").addKeyValue("amount", 1980).log("paid");
        LOGGER.warn("refused", new IllegalArgumentException("no such card: 4111 1111 1111 1112"));
    }
}
