package sealmark.logback;

import static net.logstash.logback.argument.StructuredArguments.kv;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.status.Status;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
}
