package sealmark.logback;

import static net.logstash.logback.argument.StructuredArguments.kv;
import static net.logstash.logback.argument.StructuredArguments.raw;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import sealmark.log.Sealed;

/** JSON lines by logstash-logback-encoder and by Logback itself. */
class LogstashTest {
    private static final String LOGS = LogFolder.SEALER + """
            <appender name="SEALED" class="sealmark.logback.SealedFileAppender">
              <file>FOLDER/sealed.log</file>
              <encoder class="net.logstash.logback.encoder.LogstashEncoder">
                <throwableConverter class="sealmark.logback.SealedThrowableConverter"/>
                <decorator class="net.logstash.logback.mask.MaskingJsonGeneratorDecorator">
                  <valueMasker class="sealmark.logback.SealedFields">
                    <field>message</field>
                    <field>email</field>
                    <path>/order/cards</path>
                    <path>buyer/name</path>
                  </valueMasker>
                </decorator>
              </encoder>
            </appender>
            <appender name="TWIN" class="ch.qos.logback.core.FileAppender">
              <file>FOLDER/twin.log</file>
              <encoder class="net.logstash.logback.encoder.LogstashEncoder">
                <throwableConverter class="ch.qos.logback.classic.pattern.ThrowableProxyConverter"/>
              </encoder>
            </appender>
            <root level="DEBUG"><appender-ref ref="SEALED"/><appender-ref ref="TWIN"/></root>
            """;

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    @Test
    void fieldsAreSealedByNameAndPath() {
        LoggerContext context = logs.configure(LOGS);
        Map<String, Object> order = Map.of("cards", List.of("secret 1", Map.of("number", "secret 2")), "name", "clear");
        Logger logger = context.getLogger("a");
        logger.info("secret \"花子\"\n\ttext", kv("email", "secret@example.com"), kv("order", order));
        logger.atInfo().addKeyValue("email", "secret\\").addKeyValue("cards", "clear")
                .addKeyValue("buyer", Map.of("name", "secret")).log("");
        logger.error("secret", new IllegalStateException("secret", new IOException("two\nsecret \"lines\"")));
        LogFolder.assertNoErrors(context);
        context.stop();
        assertEquals(logs.text("twin.log"), logs.opened("sealed.log"));
        logs.assertWhole("sealed.log");
        logs.assertHidden(List.of("secret", "花子"), "sealed.log");
        String log = logs.text("sealed.log");
        assertTrue(log.startsWith("{\"sealmark\":\"~s1h~"), log);
        assertTrue(log.contains("\"number\":\"~s1a~number~"), log);
        assertTrue(log.contains("[\"~s1a~cards~"), log);
        assertTrue(log.contains("\"name\":\"clear\""), log);
        assertTrue(log.contains("\"cards\":\"clear\""), log);
    }

    @Test
    void numbersAreSealed() {
        LoggerContext context = logs.configure(LOGS);
        List<Number> cards = List.of(4111411, 41.11411, -4111411L, 4111411f, 1e300, Double.NaN,
                new BigDecimal("41.114110E+3"), new BigInteger("41114111411141114111"), new AtomicLong(4111411),
                (short) 31337);
        context.getLogger("a").info("numbers", kv("email", 313373133), kv("order", Map.of("cards", cards)));
        LogFolder.assertNoErrors(context);
        context.stop();
        assertEquals(logs.text("twin.log"), logs.opened("sealed.log"));
        logs.assertWhole("sealed.log");
        // Shorter ones may stand in a time.
        logs.assertHidden(List.of("313373133", "31337]", "4111411", "41.11411"), "sealed.log");
        String log = logs.text("sealed.log");
        assertTrue(log.contains("\"email\":\"~s1j~email~") && log.contains("[\"~s1j~cards~"), log);
    }

    @Test
    void aDecoratorSealsWhatMaskersAreNotShown() {
        LoggerContext context = logs.configure(LOGS
                .replace("<decorator class=\"net.logstash.logback.mask.MaskingJsonGeneratorDecorator\">", "")
                .replace("</decorator>", "").replace("valueMasker", "decorator")
                .replace("<appender-ref ref=\"TWIN\"/>", ""));
        byte[] bytes = {1, 2, 3};
        Map<String, Object> cards = Map.of("valid", true, "chip", bytes, "number", 411141114, "owner", "secret");
        context.getLogger("a").info("", kv("order", Map.of("cards", cards)),
                kv("email", false), raw("email", "{\"raw\":1}"), kv("email", Sealed.of("email", "secret")),
                kv("clear", List.of(true, bytes)), raw("x", "{}"));
        context.stop();
        logs.assertHidden(List.of("secret", "411141114", "false", "{\"raw\"", "\"chip\":\"AQID"), "sealed.log");
        String log = logs.text("sealed.log");
        for (String part : List.of("'valid':'~s1j~valid~", "'clear':[true,'AQID']", "'x':{}", "'email':'~s1j~email~")) {
            assertTrue(log.contains(part.replace('\'', '"')), log);
        }
        String opened = logs.opened("sealed.log");
        for (String value : List.of("'valid':true", "'chip':'AQID'",
                "'email':false,'email':{'raw':1},'email':'secret'")) {
            assertTrue(opened.contains(value.replace('\'', '"')), opened);
        }
        logs.assertWhole("sealed.log");
    }

    @Test
    void sealedArgumentsAreTokensAndNoBeans() {
        LoggerContext context = logs.configure(LOGS);
        context.getLogger("a").info("login of {}",
                Sealed.of("user", "secret 1"), kv("email", Sealed.of("email", "secret 2")));
        context.getLogger("a").info("paid {}", Sealed.of("n", 313373133), kv("n", Sealed.of("n", 313373133)),
                kv("paid", Sealed.of("paid", true)));
        context.getLogger("a").atInfo().addKeyValue("card", Sealed.of("card", "secret 3"))
                .addKeyValue("cart", Map.of("item", Sealed.of("item", "secret 4"))).log("pairs");
        LogFolder.assertNoErrors(context);
        context.stop();
        logs.assertHidden(List.of("secret", "313373133"), "sealed.log", "twin.log");
        String opened = logs.opened("sealed.log");
        assertTrue(opened.contains("\"email\":\"secret 2\""), opened);
        assertTrue(opened.contains("\"message\":\"login of secret 1\""), opened);
        assertTrue(opened.contains("\"message\":\"paid 313373133\""), opened);
        assertTrue(opened.contains("\"n\":313373133,\"paid\":true"), opened);
        assertTrue(opened.contains("\"card\":\"secret 3\",\"cart\":{\"item\":\"secret 4\"}"), opened);
    }

    @Test
    void anotherConverterWritesExceptionsWithSealedMessages() {
        String shortened = """
                <converter class="net.logstash.logback.stacktrace.ShortenedThrowableConverter">
                  <maxDepthPerThrowable>2</maxDepthPerThrowable><rootCauseFirst>true</rootCauseFirst>
                  <shortenedClassNameLength>20</shortenedClassNameLength><inlineHash>false</inlineHash>
                </converter>
                """;
        LoggerContext context = logs.configure(LOGS
                .replace("<throwableConverter class=\"sealmark.logback.SealedThrowableConverter\"/>",
                        "<throwableConverter class=\"sealmark.logback.SealedThrowableConverter\"><label>error</label>"
                                + shortened + "</throwableConverter>")
                .replace("<throwableConverter class=\"ch.qos.logback.classic.pattern.ThrowableProxyConverter\"/>",
                        shortened.replaceAll("<(/?)converter", "<$1throwableConverter")));
        context.getLogger("a").error("failed", new IllegalStateException("secret", new IOException("secret cause")));
        LogFolder.assertNoErrors(context);
        context.stop();
        assertEquals(logs.text("twin.log"), logs.opened("sealed.log"));
        logs.assertHidden(List.of("secret"), "sealed.log");
        assertTrue(logs.text("sealed.log").contains("~s1a~error~"));
    }

    @Test
    void logbacksOwnJsonTakesTokensToo() {
        LoggerContext context = logs.configure(LogFolder.SEALER + """
                <appender name="SEALED" class="sealmark.logback.SealedFileAppender">
                  <file>FOLDER/sealed.log</file>
                  <clear>encoder</clear>
                  <encoder class="ch.qos.logback.classic.encoder.JsonEncoder"/>
                </appender>
                <root level="DEBUG"><appender-ref ref="SEALED"/></root>
                """);
        context.getLogger("a").atInfo().addKeyValue("email", Sealed.of("email", "a \"secret\"")).log("login");
        LogFolder.assertNoErrors(context);
        context.stop();
        String log = logs.text("sealed.log");
        assertTrue(log.startsWith("{\"sealmark\":\"~s1h~"), log);
        assertTrue(log.contains("\"email\": \"~s1a~email~") || log.contains("\"email\":\"~s1a~email~"), log);
        assertTrue(logs.opened("sealed.log").contains("a \\\"secret\\\""), log);
        logs.assertWhole("sealed.log");
    }

    /** It writes the arguments and not the message that they stand in, or both. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void logbacksOwnJsonHasNoTokenThatNobodyWrites(boolean isFormatted) {
        LoggerContext context = logs.configure(LogFolder.SEALER + """
                <appender name="SEALED" class="sealmark.logback.SealedFileAppender">
                  <file>FOLDER/sealed.log</file>
                  <clear>encoder</clear>
                  <encoder class="ch.qos.logback.classic.encoder.JsonEncoder">
                    <withFormattedMessage>FORMATTED</withFormattedMessage>
                  </encoder>
                </appender>
                <root level="DEBUG"><appender-ref ref="SEALED"/></root>
                """.replace("FORMATTED", String.valueOf(isFormatted)));
        context.getLogger("a").info("login of {} from {}", Sealed.of("email", "secret"), Sealed.of("address", "secret too"));
        LogFolder.assertNoErrors(context);
        context.stop();
        logs.assertHidden(List.of("secret"), "sealed.log");
        String opened = logs.opened("sealed.log");
        assertEquals(isFormatted, opened.contains("login of secret from secret too"), opened);
        assertTrue(opened.contains("[\"secret\",\"secret too\"]"), opened);
        // The array "arguments" has values of several labels, none of which is its name.
        logs.run(0, "log", "verify", "-i", "key.txt", "--closed", "--any-label", "sealed.log");
    }
}
