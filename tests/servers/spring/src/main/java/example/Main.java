package example;

import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** A service that logs what strangers send it, in each way in which SLF4J takes it. */
@SpringBootApplication
@RestController
public class Main {
    private static final Logger LOGGER = LoggerFactory.getLogger("shop.Payments");

    public static void main(String[] arguments) {
        SpringApplication.run(Main.class, arguments);
    }

    @PostMapping({"/pay", "/pay/for/*"})
    String pay(@RequestBody Map<String, String> values) {
        String email = values.get("email");
        MDC.put("user", email);
        LOGGER.info("paid by {}", email);
        LOGGER.atInfo().addKeyValue("email", email).addKeyValue("address", values.get("contact")).log("paid: {}", email);
        LOGGER.warn("refused: {}", email, new IllegalArgumentException("no such user: " + email, new IllegalStateException(email)));
        LOGGER.info("asked by {}", values.get("contact"));
        java.util.logging.Logger.getLogger("shop.Older").warning("of an older library: " + email);
        MDC.clear();
        return "seen";
    }
}
