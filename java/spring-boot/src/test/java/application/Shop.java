package application;

import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import sealmark.log.Sealed;

/** The application of the tests: knows nothing of Sealmark but {@link Sealed}. */
@SpringBootApplication
@RestController
public class Shop {
    /** In the MDC while the application starts. */
    public static final String OPERATOR = "operator@example.com";

    private static final Logger LOGGER = LoggerFactory.getLogger(Shop.class);

    /** Logs as services do, with the values wherever they stand. */
    @GetMapping("/pay")
    public String pay(@RequestParam("email") String email, @RequestParam("user") String user) {
        MDC.put("email", email);
        MDC.put("user.id", user);
        MDC.put("shop", "tokyo");
        try {
            LOGGER.info("paid, card={}", Sealed.of("card", "4111 " + user));
            LOGGER.atWarn().addKeyValue("contact.email", email).addKeyValue("user.age", 41).addKeyValue("amount", 1980)
                    .addKeyValue("order", Map.of("email", email, "items", List.of(1, 2))).log("slow");
            LOGGER.error("refused", new IllegalArgumentException("no user " + user, new IllegalStateException(email)));
        } finally {
            MDC.clear();
        }
        return "paid";
    }

    /** Starts it. */
    public static void main(String[] arguments) {
        MDC.put("email", OPERATOR);
        SpringApplication.run(Shop.class, arguments);
    }
}
