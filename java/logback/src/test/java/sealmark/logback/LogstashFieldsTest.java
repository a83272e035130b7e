package sealmark.logback;

import static net.logstash.logback.argument.StructuredArguments.entries;
import static net.logstash.logback.argument.StructuredArguments.kv;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.status.Status;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.ValueNames;

/** Fields that are chosen wrong. */
class LogstashFieldsTest {
    @RegisterExtension
    final LogFolder logs = new LogFolder();

    @ParameterizedTest
    @ValueSource(strings = {
        "<decorator class='sealmark.logback.SealedFields'/>",
        "<decorator class='sealmark.logback.SealedFields'><field>${NOBODY:-}</field></decorator>",
        "<decorator class='sealmark.logback.SealedFields'><feild>email</feild></decorator>",
        "<decorator class='sealmark.logback.SealedFields'><path> </path></decorator>",
        "<decorator class='net.logstash.logback.mask.MaskingJsonGeneratorDecorator'>"
                + "<valueMasker class='sealmark.logback.SealedFields'/></decorator>",
    })
    void everythingIsSealedWhereNoFieldIsChosen(String decorator) {
        LoggerContext context = logs.configure(LogFolder.SEALER
                + "<appender name='SEALED' class='sealmark.logback.SealedFileAppender'><file>FOLDER/sealed.log</file>"
                + "<encoder class='net.logstash.logback.encoder.LogstashEncoder'>" + decorator + "</encoder></appender>"
                + "<root level='DEBUG'><appender-ref ref='SEALED'/></root>");
        context.getLogger("a").info("secret", kv("user", Map.of("name", "secret")));
        List<String> errors = LogFolder.statuses(context, Status.ERROR);
        context.stop();
        assertTrue(errors.contains("<sealmark.logback.SealedFields> names no field, and everything is sealed"
                + "\nhint: <field>email</field>"), errors::toString);
        logs.assertHidden(List.of("secret", "INFO"), "sealed.log");
        logs.assertWhole("sealed.log");
        String opened = logs.opened("sealed.log");
        assertTrue(opened.contains("\"message\":\"secret\""), opened);
        assertTrue(opened.contains("\"level\":\"INFO\""), opened);
        assertTrue(opened.contains("\"user\":{\"name\":\"secret\"}"), opened);
    }

    /** An appender that does not know of arguments in messages; nor of headers. */
    @Test
    void otherAppendersSealAllThatMayBeTheMessage() throws Exception {
        LoggerContext context = logs.configure(LogFolder.SEALER.replace("</contextListener>",
                        "<sideFile>FOLDER/side.txt</sideFile></contextListener>")
                + "<appender name='CONSOLE' class='ch.qos.logback.core.FileAppender'><file>FOLDER/other.log</file>"
                + "<encoder class='net.logstash.logback.encoder.LogstashEncoder'>"
                + "<fieldNames><message>text</message></fieldNames>"
                + "<decorator class='sealmark.logback.SealedFields'><field>email</field></decorator></encoder></appender>"
                + "<root level='DEBUG'><appender-ref ref='CONSOLE'/></root>");
        context.getLogger("a").info("{} of {}", kv("email", "secret 1"), Map.of("email", "secret 2"));
        List<String> errors = LogFolder.statuses(context, Status.ERROR);
        context.stop();
        assertEquals(1, errors.size(), errors::toString);
        assertTrue(errors.get(0).startsWith("<sealmark.logback.SealedFields> is not inside a Sealmark appender"), errors::toString);
        logs.assertHidden(List.of("secret"), "other.log");
        String opened = logs.opened("side.txt", "other.log");
        assertTrue(opened.contains("\"text\":\"email=secret 1 of {email=secret 2}\""), opened);
        assertTrue(logs.text("other.log").contains("\"level\":\"INFO\""), logs.text("other.log"));
    }

    @Test
    void namesAreThoseOfTheFieldsInAnyCase() {
        LoggerContext context = configure("<field>Email</field>");
        context.getLogger("a").info("{}", kv("eMail", "secret"));
        LogFolder.assertNoErrors(context);
        context.stop();
        logs.assertHidden(List.of("secret"), "sealed.log");
        logs.assertWhole("sealed.log");
    }

    @Test
    void aNameThatMatchesNothingIsTold() {
        LoggerContext context = configure("<field>emial</field><field>user</field><path>/order/card</path>");
        context.getLogger("a").info("{}", kv("user", "secret"));
        assertEquals(List.of(), LogFolder.statuses(context, Status.WARN));
        for (int times = 1; times < ValueNames.RECORDS; times++) {
            context.getLogger("a").info("nothing");
        }
        String told = "<sealmark.logback.SealedFields>: \"/order/card\", \"emial\" matched nothing in ";
        List<String> first = LogFolder.statuses(context, Status.WARN);
        assertTrue(first.size() == 1 && first.get(0).startsWith(told + "the first 1000 records\nhint: "), first::toString);
        context.stop();
        List<String> all = LogFolder.statuses(context, Status.WARN);
        assertTrue(all.size() == 2 && all.get(1).startsWith(told + "any record\nhint: "), all::toString);
    }

    /** Keys of maps come from strangers, such as parameters of a request. */
    @Test
    void noNameThatIsLoggedIsTakenForAnAppenderOfOurs() throws Exception {
        LoggerContext context = logs.configure(LogFolder.SEALER
                + "<appender name='OTHER' class='ch.qos.logback.core.FileAppender'><file>FOLDER/other.log</file>"
                + "<encoder class='net.logstash.logback.encoder.LogstashEncoder'>"
                + "<decorator class='sealmark.logback.SealedFields'><field>email</field></decorator></encoder></appender>"
                + "<root level='DEBUG'><appender-ref ref='OTHER'/></root>");
        context.getLogger("a").info("{}", entries(Map.of("sealmark:any", "any")));
        context.getLogger("a").info("{}", kv("email", "secret"));
        context.stop();
        logs.assertHidden(List.of("secret"), "other.log");
    }

    private LoggerContext configure(String fields) {
        return logs.configure(LogFolder.SEALER
                + "<appender name='SEALED' class='sealmark.logback.SealedFileAppender'><file>FOLDER/sealed.log</file>"
                + "<encoder class='net.logstash.logback.encoder.LogstashEncoder'>"
                + "<decorator class='sealmark.logback.SealedFields'>" + fields + "</decorator></encoder></appender>"
                + "<root level='DEBUG'><appender-ref ref='SEALED'/></root>");
    }
}
