package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text of strangers that looks like a token, a part of a header or a closing token makes no log fail. */
class LookalikesTest {
    private static final String OTHER = "B".repeat(16);
    private static final List<String> LOOKALIKES = List.of("~s1a~email~" + OTHER + "~" + "A".repeat(27) + "~",
            "~s1h~" + OTHER + "~AAAAAAAAAAAA~1.1~AAAA~", "~s1z~" + OTHER + "~" + "A".repeat(32) + "~",
            "a ~s1h~" + OTHER + "~AAAAAAAAAAAA~1.2~AAAA~ b");

    @TempDir
    static Path keys;

    private static Program program;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeKey() throws Exception {
        program = new Program(keys);
    }

    @ParameterizedTest
    @ValueSource(strings = {"<PatternLayout pattern='%m %X{user} %sealed{%c}{logger}%n%ex'/>",
        "<JsonTemplateLayout eventTemplateUri='file:FOLDER/app.json'/>"})
    void theLogOpensAndIsWhole(String layout) throws Exception {
        Files.writeString(folder.resolve("app.json"), """
                {"message": {"$resolver": "message", "stringified": true},
                 "user": {"$resolver": "mdc", "key": "user"},
                 "logger": {"$resolver": "sealed", "of": "logger", "field": "name"}}
                """);
        String configuration = "<Sealer recipient='" + program.recipient + "'/><Appenders><File name='app'"
                + " fileName='FOLDER/app.log'><SealedLayout>" + layout + "</SealedLayout></File></Appenders>"
                + "<Loggers><Root level='info'><AppenderRef ref='app'/></Root></Loggers>";
        try (Running log = Running.of(folder, configuration)) {
            for (String text : LOOKALIKES) {
                ThreadContext.put("user", text);
                log.logger().info(text, new IllegalStateException(text));
            }
        } finally {
            ThreadContext.clearAll();
        }
        Path log = folder.resolve("app.log");
        String opened = program.open(log);
        for (String text : LOOKALIKES) {
            assertTrue(opened.split(text, -1).length > 2, opened);
        }
        program.verify(log);
        assertEquals(0, Program.text(log).lines().filter(line -> line.contains(OTHER)).count(), Program.text(log));
    }

    /** Appenders that send messages ask for their bytes or their text. */
    @Test
    void messagesHaveNoneEither() throws Exception {
        String configuration = "<Sealer recipient='" + program.recipient + "'/><Appenders><File name='app'"
                + " fileName='FOLDER/app.log'><SealedLayout><PatternLayout pattern='%m'/></SealedLayout></File></Appenders>"
                + "<Loggers><Root level='info'><AppenderRef ref='app'/></Root></Loggers>";
        try (Running log = Running.of(folder, configuration)) {
            Layout<?> layout = log.logger().getContext().getConfiguration().getAppender("app").getLayout();
            for (String text : LOOKALIKES) {
                LogEvent event = Log4jLogEvent.newBuilder().setMessage(new SimpleMessage("\u00e9 " + text)).build();
                String bytes = new String(layout.toByteArray(event), UTF_8);
                assertTrue(bytes.startsWith("\u00e9 ") && !bytes.contains(OTHER), bytes);
                String message = String.valueOf(layout.toSerializable(event));
                assertTrue(message.startsWith("\u00e9 ") && !message.contains(OTHER), message);
            }
        }
    }
}
