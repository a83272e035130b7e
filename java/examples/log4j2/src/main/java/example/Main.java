package example;

import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.message.StringMapMessage;
import sealmark.log.Sealed;

/** Logs what nobody may read who has no key; {@code log4j2.xml} beside it says what that is. */
public final class Main {
    private static final Logger LOGGER = LogManager.getLogger(Main.class);

    private Main() {}

    /**
     * Logs a few lines to {@code app.log}, and the same as JSON to {@code app.json}.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        // The code says what is sealed …
        LOGGER.info("login, email={}", Sealed.of("email", "hanako@example.com"));
        // … or the configuration does: the context, entries of maps, messages of exceptions.
        ThreadContext.put("user", "hanako");
        LOGGER.info(new StringMapMessage().with("card", "4111 1111 1111 1111").with("amount", "1980"));
        LOGGER.warn("refused", new IllegalArgumentException("no such card: 4111 1111 1111 1112"));
    }
}
