package sealmark.logback;

import static net.logstash.logback.argument.StructuredArguments.kv;
import static net.logstash.logback.argument.StructuredArguments.raw;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import sealmark.log.Sealed;
import sealmark.testing.HeapDump;

/** Values that were sealed in a log are not found in the JVM's memory afterwards, as far as it is reachable from anywhere. */
class HeapDumpTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String EXCEPTIONS =
            "<throwableConverter class='sealmark.logback.SealedThrowableConverter'/>";
    private static final String FIELDS = "<field>email</field><field>message</field>";
    private static final String[] ENCODERS = {
        "<encoder><pattern>%sealed(%msg){message} %sealedKvp %sealedEx%n</pattern></encoder>",
        logstash("<decorator class='sealmark.logback.SealedFields'>" + FIELDS + "</decorator>"),
        logstash("<decorator class='net.logstash.logback.mask.MaskingJsonGeneratorDecorator'>"
                + "<valueMasker class='sealmark.logback.SealedFields'>" + FIELDS + "</valueMasker></decorator>"),
    };

    /** Ways to log a value of digits; the masker is not shown raw JSON. */
    private static final Map<String, BiConsumer<Logger, String>> WAYS = new LinkedHashMap<>();

    static {
        WAYS.put("message", (logger, secret) -> logger.info(secret));
        WAYS.put("argument", (logger, secret) -> logger.info("{}", kv("email", secret)));
        WAYS.put("escapes", (logger, secret) -> logger.info("{}", kv("email", secret + "\u0001/\u00e9")));
        WAYS.put("number", (logger, secret) -> logger.info("{}", kv("email", new BigInteger(secret))));
        WAYS.put("nested", (logger, secret) -> logger.info("{}", kv("email", Map.of("a", secret))));
        WAYS.put("sealed", (logger, secret) -> logger.info("{}", Sealed.of("email", secret)));
        WAYS.put("sealed argument", (logger, secret) -> logger.info("{}", kv("email", Sealed.of("email", secret))));
        WAYS.put("pair", (logger, secret) -> logger.atInfo().addKeyValue("email", secret).log());
        WAYS.put("exception", (logger, secret) -> logger.info("", new IllegalStateException(secret)));
        WAYS.put("raw string", (logger, secret) -> logger.info("", raw("email", "\"" + secret + "\\n\"")));
        WAYS.put("raw number", (logger, secret) -> logger.info("", raw("email", secret)));
        WAYS.put("raw object", (logger, secret) -> logger.info("", raw("x", "{\"email\":[" + secret + "]}")));
        WAYS.put("raw text", (logger, secret) -> logger.info("", raw("x", "{\"" + secret + "\":\"" + secret)));
    }

    /** Kept, to see that a search finds what is there. */
    private String kept;

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    @Test
    void noValueIsReachableWhenItsLineWasWritten() throws Exception {
        LoggerContext context = logs.configure(LogFolder.SEALER + appenders());
        Map<String, byte[]> turned = new LinkedHashMap<>();
        Thread thread = new Thread(() -> {
            for (int appender = 0; appender < ENCODERS.length; appender++) {
                Logger logger = context.getLogger("log" + appender);
                boolean isMasker = appender == 2;
                WAYS.forEach((way, log) -> {
                    if (!(isMasker && way.startsWith("raw"))) {
                        turned.put(logger.getName() + ": " + way, logOne(logger, log));
                    }
                });
            }
        });
        thread.start();
        thread.join();
        kept = secret();
        byte[] keptTurned = HeapDump.turned(kept);
        LogFolder.assertNoErrors(context);
        try (HeapDump dump = new HeapDump(logs.folder)) {
            assertTrue(dump.has(keptTurned), "what is there is found");
            assertAll(turned.entrySet().stream().map(one ->
                    () -> assertFalse(dump.has(one.getValue()), one.getKey() + " is still reachable")));
        }
        assertEquals(ENCODERS.length * WAYS.size() - 4, turned.size());
        context.stop();
    }

    /** Logs a new secret, and gives it back turned round. */
    private static byte[] logOne(Logger logger, BiConsumer<Logger, String> log) {
        String secret = secret();
        log.accept(logger, secret);
        return HeapDump.turned(secret);
    }

    private static String secret() {
        return new BigInteger(96, RANDOM).setBit(95).toString();
    }

    private static String appenders() {
        StringBuilder appenders = new StringBuilder();
        for (int at = 0; at < ENCODERS.length; at++) {
            appenders.append(("<appender name='A_' class='sealmark.logback.SealedFileAppender'>"
                    + "<file>FOLDER/_.log</file>" + ENCODERS[at] + "</appender><logger name='log_' level='DEBUG'>"
                    + "<appender-ref ref='A_'/></logger>").replace("_", String.valueOf(at)));
        }
        return appenders.toString();
    }

    private static String logstash(String decorator) {
        return "<encoder class='net.logstash.logback.encoder.LogstashEncoder'>" + EXCEPTIONS + decorator + "</encoder>";
    }
}
