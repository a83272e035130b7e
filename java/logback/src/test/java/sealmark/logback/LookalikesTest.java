package sealmark.logback;

import static net.logstash.logback.argument.StructuredArguments.kv;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.Sealed;

/** Text of strangers that looks like a token, a part of a header or a closing token makes no log fail. */
class LookalikesTest {
    private static final String PATTERN = "<encoder><pattern>%msg %X{user} %sealed(%logger){logger}%n%ex</pattern></encoder>";
    private static final String JSON = "<encoder class='net.logstash.logback.encoder.LogstashEncoder'>"
            + "<decorator class='sealmark.logback.SealedFields'><field>email</field></decorator></encoder>";

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    private static List<String> lookalikes(String session) {
        return List.of("~s1a~email~" + session + "~" + "A".repeat(27) + "~", "~s1p~email~" + session + "~AAAA",
                "~s1h~" + session + "~AAAAAAAAAAAA~1.1~AAAA~", "~s1z~" + session + "~" + "A".repeat(32) + "~",
                "a ~s1h~" + session + "~AAAAAAAAAAAA~1.2~AAAA~ b");
    }

    @ParameterizedTest
    @ValueSource(strings = {PATTERN, JSON})
    void theLogOpensAndIsWhole(String encoder) {
        LoggerContext context = logs.configure(LogFolder.SEALER
                + "<appender name='SEALED' class='sealmark.logback.SealedFileAppender'><file>FOLDER/sealed.log</file>"
                + encoder + "</appender><root level='DEBUG'><appender-ref ref='SEALED'/></root>");
        String token = Sealed.of("email", "secret").toString();
        String other = "B".repeat(16);
        for (String text : lookalikes(other)) {
            context.getMDCAdapter().put("user", text);
            context.getLogger("a").info("of " + text + " {}", kv("email", "secret"), new IllegalStateException(text));
            context.getLogger("a").info(text);
        }
        context.getMDCAdapter().clear();
        context.getLogger("a").info("own {}", token);
        context.stop();
        String opened = logs.opened("sealed.log");
        for (String text : lookalikes(other)) {
            assertTrue(opened.contains("of " + text + " "), opened);
        }
        assertTrue(opened.contains("own secret"), opened);
        logs.assertWhole("sealed.log");
        logs.run(0, "log", "grep", "-i", "key.txt", "own secret", "sealed.log");
        assertEquals(0, logs.text("sealed.log").lines().filter(line -> line.contains(other)).count());
    }
}
