package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
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

    /** Log4j before 2.25 does not see such words, and adds {@code %xEx}, in the clear. */
    @ParameterizedTest
    @ValueSource(strings = {"%notEmpty{%sealed{%m}{message}}", "%maxLen{%sealed{%m}{message}}{1000000}",
        "%replace{%sealed{%m}{message}}{\\n}{ }", "%equals{%sealed{%m}{message}}{-}{+}", "%red{%sealed{%m}{message}}",
        "%notEmpty{%maxLen{%-5sealed{%m}{message}}{1000000}}", "%notEmpty{%sealedEx}", "%notEmpty{%sealed{%m %xEx}{message}}"})
    void exceptionsAreSealedIfAllSealingWordsAreWithinOthers(String pattern) throws Exception {
        Path file = folder.resolve("app.log");
        try (Running log = Running.of(folder, configuration("<File name='app' fileName='FOLDER/app.log'><SealedLayout>"
                + "<PatternLayout pattern='" + pattern + "%n'/></SealedLayout></File>", "app"))) {
            log.logger().info("secret", new IllegalStateException("secret too"));
            assertEquals("", log.complaints());
        }
        assertFalse(Program.text(file).contains("secret"), Program.text(file));
        String opened = program.open(file);
        int expected = pattern.contains("%xEx") ? 2 : 1;
        assertEquals(expected, opened.split("java.lang.IllegalStateException: secret too", -1).length - 1, opened);
        program.verify(file);
    }

    /** A layout that has several patterns, and one that an appender creates for each value of a key. */
    @ParameterizedTest
    @ValueSource(strings = {
        "<File name='app' fileName='FOLDER/app.log'><SealedLayout><PatternLayout><MarkerPatternSelector"
                + " defaultPattern='%notEmpty{%sealed{%m}{message}}%n'><PatternMatch key='x' pattern='%sealedEx%n'/>"
                + "</MarkerPatternSelector></PatternLayout></SealedLayout></File>",
        "<File name='app' fileName='FOLDER/app.log'><PatternLayout><MarkerPatternSelector"
                + " defaultPattern='%notEmpty{%sealed{%m}{message}}%n'><PatternMatch key='x' pattern='%sealedEx%n'/>"
                + "</MarkerPatternSelector></PatternLayout></File>",
        "<Routing name='app'><Routes pattern='app'><Route><File name='inner' fileName='FOLDER/app.log'>"
                + "<PatternLayout pattern='%notEmpty{%sealed{%m}{message}}%n'/></File></Route></Routes></Routing>",
        "<Routing name='app'><Routes pattern='app'><Route><File name='inner' fileName='FOLDER/app.log'><PatternLayout>"
                + "<Pattern>%notEmpty{%sealed{%m}{message}}%n</Pattern></PatternLayout></File></Route></Routes></Routing>"})
    void exceptionsAreSealedInPatternsThatAreChosenByEvents(String appender) throws Exception {
        try (Running log = Running.of(folder, configuration(appender, "app"))) {
            log.logger().info("secret", new IllegalStateException("secret too"));
        }
        String text = Program.text(folder.resolve("app.log"));
        assertTrue(text.contains("~s1"), text);
        assertFalse(text.contains("secret"), text);
    }

    /** Appenders that send messages ask for their bytes or their text, and some keep a copy of the event. */
    @Test
    void messagesHaveNoExceptionInTheClear() throws Exception {
        try (Running log = Running.of(folder, configuration("<File name='app' fileName='FOLDER/app.log'><SealedLayout>"
                + "<PatternLayout pattern='%notEmpty{%sealed{%m}{message}}%n'/></SealedLayout></File>", "app"))) {
            Layout<?> layout = log.logger().getContext().getConfiguration().getAppender("app").getLayout();
            LogEvent event = Log4jLogEvent.newBuilder().setMessage(new SimpleMessage("secret"))
                    .setThrown(new IllegalStateException("secret too")).build();
            String bytes = new String(layout.toByteArray(event), UTF_8);
            for (String text : List.of(bytes, String.valueOf(layout.toSerializable(event)))) {
                assertTrue(text.contains("java.lang.IllegalStateException: ~s1x~exception~"), text);
                assertFalse(text.contains("secret"), text);
            }
            assertNull(AddedExceptions.hide(event).toImmutable().getThrown());
            assertSame(event, OtherThrown.original(AddedExceptions.hide(event)));
        }
    }

    /** Sealing words look for their own pattern among those of all appenders. */
    @Test
    void exceptionsAreSealedIfAnotherPatternHasTheSameWord() throws Exception {
        String layout = "<SealedLayout><PatternLayout pattern='%s%%n'/></SealedLayout>";
        try (Running log = Running.of(folder, configuration("<File name='other' fileName='FOLDER/other.log'>"
                + layout.formatted("%sealed{%m}{message} %sealedEx") + "</File><File name='app' fileName='FOLDER/app.log'>"
                + layout.formatted("%notEmpty{%sealed{%m}{message}}") + "</File>", "app", "other"))) {
            log.logger().info("secret", new IllegalStateException("secret too"));
        }
        for (Path log : List.of(folder.resolve("app.log"), folder.resolve("other.log"))) {
            assertFalse(Program.text(log).contains("secret"), Program.text(log));
            String opened = program.open(log);
            assertEquals(1, opened.split("java.lang.IllegalStateException: secret too", -1).length - 1, opened);
        }
    }

    /** A pattern without sealing words is as Log4j makes it. */
    @Test
    void aPatternThatOnlyWritesTheNameOfAWordHasItsExceptions() throws Exception {
        try (Running log = Running.of(folder, configuration("<File name='app' fileName='FOLDER/app.log'><SealedLayout>"
                + "<PatternLayout pattern='%%sealed %m%n'/></SealedLayout></File>", "app"))) {
            log.logger().info("m", new IllegalStateException("not sealed"));
        }
        String text = Program.text(folder.resolve("app.log"));
        assertTrue(text.startsWith("%sealed m\njava.lang.IllegalStateException: not sealed\n"), text);
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
