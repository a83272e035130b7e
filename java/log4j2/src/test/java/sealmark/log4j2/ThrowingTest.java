package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LoggingException;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.appender.FileAppender;
import org.apache.logging.log4j.core.config.DefaultConfiguration;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.core.layout.AbstractStringLayout;
import org.apache.logging.log4j.message.MapMessage;
import org.apache.logging.log4j.message.StringFormattedMessage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sealmark.testing.StandardError;

/** Values that are to be sealed throw, with plaintext in the message: no log, console or application gets that. */
class ThrowingTest {
    @TempDir
    static Path keys;

    private static Program program;

    @TempDir
    Path folder;

    /** Everything that was written or reported, wherever. */
    private String seen = "";
    private String log;

    @BeforeAll
    static void makeKey() throws Exception {
        program = new Program(keys);
    }

    /** Checked ones, too; and Log4j's own. */
    static Stream<Throwable> errors() {
        return Stream.of(new IllegalStateException("secret"), new AssertionError("secret"), new IOException("secret"),
                new AppenderLoggingException("secret"));
    }

    private void run(String layout, Consumer<Logger> logging) throws Exception {
        run("", layout, "app", logging);
    }

    private void run(String more, String layout, String to, Consumer<Logger> logging) throws Exception {
        // Without <SealedLayout>, tokens are made only if there is a side file.
        String sideFile = layout.contains("<SealedLayout>") ? "" : "' sideFile='FOLDER/side.txt";
        String configuration = "<Sealer recipient='" + program.recipient + sideFile + "'/><Appenders>"
                + "<File name='app' fileName='FOLDER/app.log' ignoreExceptions='false'>" + layout + "</File>" + more
                + "</Appenders><Loggers><Root level='info'><AppenderRef ref='" + to + "'/></Root></Loggers>";
        try (StandardError console = new StandardError()) {
            try (Running running = Running.of(folder, configuration)) {
                logging.accept(running.logger());
                seen += running.complaints();
            }
            seen += console.text();
        }
        log = Program.text(folder.resolve("app.log"));
        seen += log;
        assertFalse(seen.contains("secret"), seen);
    }

    private static void logAll(Logger logger, Throwable error) {
        logger.info(new Broken.Text(error));
        // Loggers of web applications make messages like this: no layout has asked for its text yet.
        logger.get().log(Log4jLogEvent.newBuilder().setLoggerName("app").setLevel(Level.INFO)
                .setMessage(new StringFormattedMessage("%s", new Broken.Word(error))).build());
        logger.info("{}", new Broken.Word(error));
        logger.info("", new Broken.Words(error));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void whatAPatternSeals(Throwable error) throws Exception {
        String pattern = "<PatternLayout pattern='%sealed{%m}{message}%sealedEx{short.message}%n'/>";
        for (String layout : new String[] {pattern, "<SealedLayout>" + pattern + "</SealedLayout>"}) {
            run(layout, logger -> logAll(logger, error));
            // A formatter does not pass an IOException on.
            assertTrue(log.matches("~s1x~message~\n(~s1x~message~)?\n(~s1h~\\S+\n)?~s1a~message~\\S+\n"
                    + "~s1x~exception~\n(~s1z~\\S+\n)?"), log);
            Files.delete(folder.resolve("app.log"));
        }
    }

    @ParameterizedTest
    @MethodSource("errors")
    void whatThePolicySeals(Throwable error) throws Exception {
        run("<Rewrite name='sealing'><SealingRewritePolicy keys='email' parameters='true' exceptions='true'/>"
                + "<AppenderRef ref='app'/></Rewrite>", "<PatternLayout pattern='%m %x %X %ex{short.message}%n'/>", "sealing",
                logger -> {
                    ThreadContext.push("secret");
                    ThreadContext.put("email", "secret");
                    logger.info(new Broken.Text(error));
                    ThreadContext.clearAll();
                    logAll(logger, error);
                    logger.info(new MapMessage<>().with("email", new Broken.Word(error)));
                });
        assertTrue(log.startsWith("~s1x~message~"), log);
        assertTrue(log.contains("sealmark.log4j2.Broken$Words: ~s1x~exception~"), log);
        assertTrue(log.contains("email=\"~s1a~email~"), log);
    }

    @ParameterizedTest
    @MethodSource("errors")
    void whatTheResolverSeals(Throwable error) throws Exception {
        Files.writeString(folder.resolve("app.json"), """
                {"text": {"$resolver": "sealed", "of": "message", "stringified": true},
                 "map": {"$resolver": "sealed", "of": "map", "key": "email"}}
                """);
        run("<JsonTemplateLayout eventTemplateUri='file:FOLDER/app.json'/>", logger -> {
            logAll(logger, error);
            logger.info(new Broken.Entries(error));
        });
        assertEquals(5, log.lines().count(), log);
        assertTrue(log.contains("\"map\":\"~s1x~email~\""), log);
    }

    @ParameterizedTest
    @MethodSource("errors")
    void whatALayoutThrows(Throwable error) throws Exception {
        Throwable around = new IllegalArgumentException("of secret", error);
        run("<PatternLayout pattern='%n'/>", logger -> {
            Appender appender = FileAppender.newBuilder().setName("throwing")
                    .withFileName(folder.resolve("throwing.log").toString()).setIgnoreExceptions(false)
                    .setLayout(SealedLayout.create(new Throwing(around), null, new DefaultConfiguration())).build();
            appender.start();
            logger.addAppender(appender);
            assertThrows(LoggingException.class, () -> logger.info("secret")).printStackTrace();
            appender.stop();
        });
        assertTrue(seen.contains("could not format a log event"), seen);
        assertTrue(seen.contains("SealedThrowable: " + error.getClass().getName()), seen);
        assertTrue(seen.contains("at sealmark.log4j2.ThrowingTest"), seen);
    }

    /** Says in its exceptions what it could not write. */
    private static final class Throwing extends AbstractStringLayout {
        private final Throwable error;

        Throwing(Throwable error) {
            super(UTF_8);
            this.error = error;
        }

        @Override
        public String toSerializable(LogEvent event) {
            throw Broken.sneaked(error);
        }
    }
}
