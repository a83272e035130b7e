package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.apache.logging.log4j.ThreadContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.Sealed;

/** A configuration that is wrong in a usual way loses no value without an error that the operator sees. */
class MistakesTest {
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
    @ValueSource(strings = {"%sealed{%m}{message}%n", "%sealedEx%n", "%notEmpty{%sealed{%X{user}}{user}}%n"})
    void aPatternWithoutSealedLayoutGetsMarkersAndAnError(String pattern) throws Exception {
        Path file = folder.resolve("app.log");
        try (Running log = Running.of(folder, configuration("<File name='app' fileName='FOLDER/app.log'><PatternLayout pattern='"
                + pattern + "'/></File>", "app"))) {
            ThreadContext.put("user", "hanako");
            for (int times = 0; times < 2; times++) {
                log.logger().info("secret {}", Sealed.of("email", "secret"), new IllegalStateException("secret"));
            }
            ThreadContext.clearAll();
            String told = log.complaints();
            assertEquals(1, told.lines().filter(line -> line.contains(" writes no headers, so the values that its pattern"
                    + " seals become markers")).count(), told);
            assertTrue(told.contains("\nhint: <SealedLayout><PatternLayout pattern=\"…\"/></SealedLayout>"), told);
        }
        String text = Program.text(file);
        assertTrue(text.contains("~s1x~"), text);
        assertFalse(text.contains("~s1a~") || text.contains("secret") || text.contains("hanako"), text);
    }

    @Test
    void theErrorNamesTheAppenderWhenTheConfigurationIsRead() throws Exception {
        try (Running log = Running.of(folder, configuration("<File name='app' fileName='FOLDER/app.log'>"
                + "<PatternLayout pattern='%sealed{%m}{message}%n'/></File>", "app"))) {
            assertTrue(log.complaints().contains("appender \"app\" writes no headers"), log.complaints());
        }
    }

    /**
     * Two logs, one sealer: each is whole by itself. Log4j formats parameters once for all appenders, so that logs with
     * Sealed ones need the same records.
     */
    @ParameterizedTest
    @CsvSource({"console, app, true", "app, console, true", "console, app, false"})
    void twoAppendersWithOneSealerCanBeVerifiedEach(String first, String second, boolean hasThreshold) throws Exception {
        Function<String, Object> value = text -> hasThreshold ? "x" : Sealed.of("value", text);
        String layout = "<SealedLayout><PatternLayout pattern='%sealed{%X{user}}{user} %m %sealedEx{short.message}%n'/>"
                + "</SealedLayout>";
        PrintStream out = System.out;
        Path console = folder.resolve("console.log");
        try (PrintStream to = new PrintStream(Files.newOutputStream(console), true, UTF_8)) {
            System.setOut(to);
            try (Running log = Running.of(folder, configuration("<File name='app' fileName='FOLDER/app.log'>" + layout
                    + "</File><Console name='console'>" + (hasThreshold ? "<ThresholdFilter level='warn'/>" : "") + layout + "</Console>",
                    first, second))) {
                ThreadContext.put("user", "hanako");
                for (int times = 0; times < 3; times++) {
                    log.logger().info("paid by {}", value.apply("hanako@example.com"));
                    log.logger().warn("refused {}", value.apply("4111"), new IllegalStateException("no card 4111"));
                }
                ThreadContext.clearAll();
                assertEquals("", log.complaints());
            }
        } finally {
            System.setOut(out);
        }
        for (Path log : List.of(console, folder.resolve("app.log"))) {
            String text = Program.text(log);
            assertFalse(text.contains("4111") || text.contains("hanako"), text);
            program.verify(log);
            assertTrue(program.open(log).contains("hanako refused " + (hasThreshold ? "x" : "4111") + " no card 4111\n"), program.open(log));
        }
    }

    private static String configuration(String appenders, String... names) {
        return "<Sealer recipient='" + program.recipient + "'/><Appenders>" + appenders
                + "</Appenders><Loggers><Root level='info'><AppenderRef ref='" + String.join("'/><AppenderRef ref='", names)
                + "'/></Root></Loggers>";
    }
}
