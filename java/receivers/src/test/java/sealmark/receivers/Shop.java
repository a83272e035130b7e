package sealmark.receivers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.status.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.helpers.BasicMDCAdapter;
import sealmark.log.Sealed;

/** An application that logs with Logback: a private value in each record. */
final class Shop {
    static final int VALUES = 600;
    /** A session has 64 values. */
    static final int SESSIONS = 9;
    /** The beginning of each message. */
    static final String MESSAGE = "paid by";

    private Shop() {}

    /** Logs everything, through the appender {@code SENDER}. */
    static void run(Path folder, String sender, Consumer<LoggerContext> prepare) throws Exception {
        run(configuration(folder, sender), prepare);
    }

    /** Sends all records through the appender {@code SENDER}. */
    static String configuration(Path folder, String sender) throws IOException {
        return Programs.text("shop-logback.xml").replace("FOLDER", folder.toString()).replace("<!-- SENDER -->", sender);
    }

    /** Logs everything with a configuration of Logback. */
    static void run(String xml, Consumer<LoggerContext> prepare) throws Exception {
        LoggerContext context = new LoggerContext();
        BasicMDCAdapter mdc = new BasicMDCAdapter();
        context.setMDCAdapter(mdc);
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(new ByteArrayInputStream(xml.getBytes(UTF_8)));
        prepare.accept(context);
        Logger logger = context.getLogger("shop");
        for (int number = 0; number < VALUES; number++) {
            String value = Received.SECRET + number + ".";
            switch (number % 3) {
                case 0 -> logger.info(MESSAGE + " {}", Sealed.of("email", value));
                case 1 -> logger.info(MESSAGE + " somebody", new IllegalStateException(value));
                default -> {
                    mdc.put("user", value);
                    logger.info(MESSAGE + " somebody");
                    mdc.remove("user");
                }
            }
            if (number % 20 == 0) {
                // Datagrams have no flow control.
                Thread.sleep(1);
            }
        }
        context.stop();
        assertEquals(List.of(), context.getStatusManager().getCopyOfStatusList().stream()
                .filter(status -> status.getLevel() >= Status.WARN)
                // OpenTelemetry warns of a setting that has moved to its own configuration.
                .filter(status -> status.getLevel() >= Status.ERROR || !status.getMessage().contains("captureMdcAttributes"))
                .map(Object::toString).toList());
    }
}
