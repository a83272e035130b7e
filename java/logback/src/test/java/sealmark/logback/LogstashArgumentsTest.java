package sealmark.logback;

import static java.nio.charset.StandardCharsets.UTF_8;
import static net.logstash.logback.argument.StructuredArguments.array;
import static net.logstash.logback.argument.StructuredArguments.entries;
import static net.logstash.logback.argument.StructuredArguments.fields;
import static net.logstash.logback.argument.StructuredArguments.kv;
import static net.logstash.logback.argument.StructuredArguments.raw;
import static net.logstash.logback.argument.StructuredArguments.value;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import com.fasterxml.jackson.annotation.JsonRawValue;
import java.util.List;
import java.util.Map;
import net.logstash.logback.argument.StructuredArgument;
import net.logstash.logback.marker.Markers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import sealmark.log.Sealed;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** Structured arguments in messages, and raw JSON, which logstash-logback-encoder shows no masker. */
class LogstashArgumentsTest {
    private static final String DECORATOR = """
            <decorator class="sealmark.logback.SealedFields">
              <field>email</field><path>order/card</path>
            </decorator>
            """;
    private static final String MASKER = """
            <decorator class="net.logstash.logback.mask.MaskingJsonGeneratorDecorator">
              <valueMasker class="sealmark.logback.SealedFields">
                <field>email</field><path>order/card</path>
              </valueMasker>
            </decorator>
            """;
    private static final String ENCODER =
            "<encoder class='net.logstash.logback.encoder.LogstashEncoder'>DECORATOR</encoder>";
    private static final String LAYOUT = "<encoder class='ch.qos.logback.core.encoder.LayoutWrappingEncoder'>"
            + "<layout class='net.logstash.logback.layout.LogstashLayout'>"
            + "<lineSeparator>UNIX</lineSeparator>DECORATOR</layout></encoder>";
    private static final String TWIN = """
            <appender name="TWIN" class="ch.qos.logback.core.FileAppender">
              <file>FOLDER/twin.log</file>
              <encoder class="net.logstash.logback.encoder.LogstashEncoder"/>
            </appender>
            """;
    private static final String ROLLING = """
            <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
              <fileNamePattern>FOLDER/sealed.%d.log</fileNamePattern>
            </rollingPolicy>
            """;

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    @ParameterizedTest
    @ValueSource(strings = {"decorator", "masker", "layout", "rolling"})
    void argumentsAreSealedInMessagesToo(String how) {
        LoggerContext context = configure(how, true);
        logArguments(context.getLogger("a"));
        LogFolder.assertNoErrors(context);
        context.stop();
        logs.assertHidden(List.of("secret", "313373133"), "sealed.log");
        assertEquals(logs.text("twin.log"), logs.opened("sealed.log"));
        logs.assertWhole("sealed.log");
        String log = logs.text("sealed.log");
        assertTrue(log.contains("\"message\":\"login email=~s1a~email~"), log);
        assertTrue(log.contains("\"message\":\"clear user=hanako\""), log);
    }

    private static void logArguments(Logger logger) {
        logger.info("login {}", kv("email", "secret"));
        logger.info("login {} of {}", value("email", "secret \"2\""), value("user", "hanako"));
        logger.info("login {}", array("email", "secret", "secret 2"));
        logger.info("login {}", entries(Map.of("email", "secret")));
        logger.info("login {}", fields(new Login("secret")));
        logger.info("login {}", kv("email", "secret", "<{0}|{1}>"));
        logger.info("order {}", kv("order", Map.of("card", "secret")));
        logger.info("failed {}", kv("email", "secret"), new IllegalStateException());
        logger.info("number {}", kv("email", 313373133));
        logger.info("none {}", kv("email", null));
        logger.info("clear {}", kv("user", "hanako"));
        logger.info("not in the message", kv("email", "secret"));
    }

    @Test
    void argumentsThatAreSealedAlreadyAreNotSealedAgain() {
        LoggerContext context = configure("decorator", false);
        context.getLogger("a").info("login {} {} {}", kv("email", "secret 1"), Sealed.of("user", "secret 2"),
                kv("email", Sealed.of("email", "secret 3")));
        LogFolder.assertNoErrors(context);
        context.stop();
        logs.assertHidden(List.of("secret"), "sealed.log");
        String opened = logs.opened("sealed.log");
        assertTrue(opened.contains("\"message\":\"login email=secret 1 secret 2 email=secret 3\""), opened);
        assertTrue(opened.contains("\"email\":\"secret 1\",\"email\":\"secret 3\""), opened);
        logs.assertWhole("sealed.log");
    }

    @Test
    void whatCannotBeLookedIntoIsSealedInMessages() {
        LoggerContext context = configure("decorator", false);
        context.getLogger("a").info("login {}", new Broken());
        context.stop();
        assertTrue(logs.text("sealed.log").contains("\"message\":\"login ~s1a~value~"), logs.text("sealed.log"));
        logs.assertHidden(List.of("secret"), "sealed.log");
    }

    @Test
    void rawJsonIsLookedInto() {
        LoggerContext context = configure("decorator", true);
        Logger logger = context.getLogger("a");
        logger.info(Markers.appendRaw("o", "{\"email\":\"secret\",\"x\":[1.50,-2e+99,true,null,{}]}"), "marker");
        logger.info("argument {}", raw("o", "{\"a\":[{\"email\":\"secret\"}]}"));
        logger.info("bean", kv("o", new Parcel("{\"email\":\"secret\"}")));
        logger.info("path", raw("order", "{\"card\":\"secret\"}"));
        logger.info("values", raw("o", "{\"email\":[1.50,-2e+99,313373133,true,null,\"313373133\"]}"));
        logger.info("whole", raw("email", " { \"a\" : [ 1.50, \"\\u00e9\\/\", \"secret\" ] }"));
        logger.info("in pieces", new Pieces());
        LogFolder.assertNoErrors(context);
        context.stop();
        logs.assertHidden(List.of("secret", "313373133", "c2VjcmV0"), "sealed.log");
        assertEquals(logs.text("twin.log"), logs.opened("sealed.log"));
        logs.assertWhole("sealed.log");
    }

    @Test
    void jsonWithSealedNumbersInItOpensAsAString() {
        LoggerContext context = configure("decorator", false);
        ObjectMapper mapper = JsonMapper.builder().findAndAddModules().build();
        String order = mapper.writeValueAsString(Map.of("n", Sealed.of("n", 313373133)));
        String parcel = mapper.writeValueAsString(Map.of("order", order));
        context.getLogger("a").info(order, raw("email", order), kv("email", parcel));
        LogFolder.assertNoErrors(context);
        context.stop();
        String opened = logs.opened("sealed.log");
        String number = "{\\\"n\\\":313373133}";
        assertTrue(opened.contains("\"message\":\"" + number + "\""), opened);
        assertTrue(opened.contains("\"email\":\"" + number + "\""), opened);
        assertTrue(opened.contains("\"email\":\"{\\\"order\\\":\\\"{\\\\\\\"n\\\\\\\":313373133}\\\"}\""), opened);
        logs.assertHidden(List.of("313373133", "order"), "sealed.log");
    }

    @Test
    void rawJsonOfTwoLinesOpensAsAString() {
        LoggerContext context = configure("decorator", false);
        context.getLogger("a").info("", raw("email", "[1,\n2]"));
        context.stop();
        assertTrue(logs.opened("sealed.log").contains("\"email\":\"[1,\\n2]\""), logs.opened("sealed.log"));
    }

    @Test
    void rawJsonThatIsAStringIsSealedAsItsText() {
        LoggerContext context = configure("decorator", true);
        context.getLogger("a").info("", raw("email", "\"secret \\n\\\"/\""));
        context.getLogger("a").info("", raw("email", "\"secret \\u00e9\""));
        context.stop();
        String log = logs.text("sealed.log");
        assertTrue(log.contains("\"email\":\"~s1a~") && log.contains("\"email\":\"~s1j~"), log);
        assertEquals(logs.text("twin.log"), logs.opened("sealed.log"));
    }

    @Test
    void rawTextThatIsNoJsonIsSealedWhole() {
        LoggerContext context = configure("decorator", false);
        for (String text : List.of(
                "{\"email\":\"secret\"", "{} {\"email\":\"secret\"}", "{email:'secret'}", "secret")) {
            context.getLogger("a").info(Markers.appendRaw("o", text), "marker");
            assertTrue(logs.opened("sealed.log").contains(
                    "\"o\":\"" + text.replace("\"", "\\\"") + "\""), logs.opened("sealed.log"));
        }
        context.stop();
        logs.assertHidden(List.of("secret"), "sealed.log");
    }

    @Test
    void whatLooksLikeATokenIsSealed() {
        LoggerContext context = configure("decorator", false);
        for (String text : List.of("~s1 secret", "~s1a~email~AAAAAAAAAAAAAAAA~secretsecretsecretsecretsecret~")) {
            context.getLogger("a").info(Markers.appendRaw("email", "\"" + text + "\""), "marker");
        }
        context.stop();
        logs.assertHidden(List.of("secret"), "sealed.log");
    }

    /** A log that is sealed so, and beside it one in clear if a test compares them. */
    private LoggerContext configure(String how, boolean withTwin) {
        String encoder = (how.equals("layout") ? LAYOUT : ENCODER)
                .replace("DECORATOR", how.equals("masker") ? MASKER : DECORATOR);
        String appender = how.equals("rolling") ? "RollingFileAppender" : "FileAppender";
        return logs.configure(LogFolder.SEALER + (withTwin ? TWIN : "")
                + "<appender name='SEALED' class='sealmark.logback.Sealed" + appender + "'>"
                + "<file>FOLDER/sealed.log</file>" + (how.equals("rolling") ? ROLLING : "") + encoder + "</appender>"
                + "<root level='DEBUG'><appender-ref ref='SEALED'/>"
                + (withTwin ? "<appender-ref ref='TWIN'/>" : "") + "</root>");
    }

    /** Its text and its fields have what is sealed. */
    record Login(String email) {}

    /** Has JSON in it. */
    record Parcel(@JsonRawValue String content) {}

    /** Written as few are. */
    private static final class Pieces implements StructuredArgument {
        @Override
        public void writeTo(JsonGenerator generator) {
            generator.writeName("email");
            generator.writeArray(new String[] {"clear", "secret", "secret 2", null}, 1, 3);
            generator.writeName("email");
            generator.writeNumber("[313373133]".toCharArray(), 1, 9);
            generator.writeName("email");
            generator.writeRawUTF8String("<secret 3>".getBytes(UTF_8), 1, 8);
            generator.writeName("email");
            generator.writeEmbeddedObject("secret".getBytes(UTF_8));
            generator.writeName("user");
            generator.writeArray(new String[] {"hanako"}, 0, 1);
            generator.writeName("user");
            generator.writeRawUTF8String("hanako".getBytes(UTF_8), 0, 6);
            generator.writeName("user");
            generator.writeEmbeddedObject(new byte[] {1, 2, 3});
        }

        @Override
        public String toString() {
            return "pieces";
        }
    }

    /** Cannot be written as JSON when it is asked about. */
    private static final class Broken implements StructuredArgument {
        private boolean wasAsked;

        @Override
        public void writeTo(JsonGenerator generator) {
            if (!wasAsked) {
                wasAsked = true;
                throw new IllegalStateException();
            }
        }

        @Override
        public String toString() {
            return "secret";
        }
    }
}
