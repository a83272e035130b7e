package sealmark.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;
import sealmark.logback.SealedFileAppender;
import sealmark.testing.Canary;
import sealmark.testing.SealmarkProgram;
import sealmark.testing.StandardError;

/** Applications that start and end in one JVM, as those of tests and of devtools do. */
class ContextsTest {
    /** The exit code of a program that has no key for some sessions. */
    private static final int NO_KEY_FITS = 3;
    private static final Logger LOGGER = LoggerFactory.getLogger(ContextsTest.class);

    @TempDir
    Path folder;

    @BeforeEach
    void makeKeys() throws Exception {
        Running.makeKeys(folder);
        MDC.put("email", Canary.MARK);
    }

    @AfterEach
    void end() {
        MDC.clear();
        System.clearProperty(LoggingSystem.SYSTEM_PROPERTY);
        stopLogging();
    }

    private static void stopLogging() {
        ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
    }

    @Test
    void aRestartGoesOnWithTheLog() throws Exception {
        start().close();
        ConfigurableApplicationContext restarted = start();
        LOGGER.info("after");
        restarted.close();
        LOGGER.info("the sealer lives longer than the context");
        stopLogging();
        assertFalse(Sealers.isInstalled(Sealers.DEFAULT), "the last log has ended");
        String opened = opened("key.txt");
        assertTrue(opened.contains("after email=" + Canary.MARK) && opened.contains("context email=" + Canary.MARK), opened);
        verify();
    }

    @Test
    void twoContextsShareALog() throws Exception {
        try (ConfigurableApplicationContext first = start(); ConfigurableApplicationContext second = start()) {
            assertTrue(first.isRunning() && second.isRunning());
            NotSealedException error = assertThrows(NotSealedException.class, () -> start("sealmark.seal=card"));
            assertTrue(error.getMessage().contains("another application of this JVM"), error.getMessage());
            LOGGER.info("both");
        }
        stopLogging();
        assertTrue(opened("key.txt").contains("both email=" + Canary.MARK));
        verify();
    }

    /** An application that was started in the clear, perhaps by a test, does not keep the next from sealing. */
    @Test
    void aLogInTheClearIsSealedFromTheSecondContextOn() throws Exception {
        try (ConfigurableApplicationContext first = start("sealmark.enabled=false");
                ConfigurableApplicationContext second = start()) {
            assertTrue(first.isRunning() && second.isRunning());
            LOGGER.info("sealed");
        }
        stopLogging();
        String log = Files.readString(folder.resolve("app.log"));
        assertTrue(log.contains("sealed email=~s1a~email~"), log);
        assertTrue(opened("key.txt").contains("sealed email=" + Canary.MARK));
    }

    @Test
    void disabledMeansInTheClearAndSaysSo() throws Exception {
        try (ConfigurableApplicationContext application =
                start("sealmark.enabled=false", "sealmark.recipients-file=none.txt")) {
            assertTrue(application.getBeansOfType(LogSealer.class).isEmpty());
            LOGGER.info("clear");
        }
        stopLogging();
        String log = Files.readString(folder.resolve("app.log"));
        assertTrue(log.contains("clear email=" + Canary.MARK), log);
        assertTrue(log.contains("sealmark.enabled=false: nothing is sealed"), log);
    }

    @Test
    void theSealerIsABeanThatOutlivesItsContext() {
        LogSealer sealer;
        try (ConfigurableApplicationContext application = start()) {
            sealer = application.getBean(LogSealer.class);
        }
        assertTrue(sealer.seal(Label.of("email"), "x").startsWith("~s1a~email~"));
    }

    @Test
    void healthNamesTheReasonForAMarker() {
        try (ConfigurableApplicationContext application = start()) {
            assertTrue(application.isRunning());
            Object before = SealerHealth.now().details().get("unsealed");
            Sealers.find(Sealers.DEFAULT).close();
            LOGGER.info("not sealed");
            SealerHealth health = SealerHealth.now();
            assertEquals("UNKNOWN", health.status());
            assertTrue((long) health.details().get("unsealed") > (long) before, health.toString());
            assertTrue(String.valueOf(health.details().get("lastFailure")).contains("closed"), health.toString());
        }
        assertTrue(log().contains("not sealed email=~s1x~email~"), log());
    }

    private static String faults() {
        return String.valueOf(SealerHealth.now().details().get("faults"));
    }

    @Test
    void anotherLoggingSystemDoesNotStart() {
        System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
        NotSealedException error = assertThrows(NotSealedException.class, this::start);
        assertTrue(error.getMessage().contains("does not log with Logback"), error.getMessage());
    }

    @Test
    void newRecipientsAreReadWhileItRuns() throws Exception {
        SealmarkProgram.run(folder, "keygen", "--mode", "ecc", "-o", "new.txt");
        try (ConfigurableApplicationContext application = start("sealmark.recipients-check=20ms")) {
            assertTrue(application.isRunning());
            LOGGER.info("before");
            Files.writeString(folder.resolve("recipients.txt"), "no key");
            await(() -> log().contains("cannot be used"));
            assertEquals("UNKNOWN", SealerHealth.now().status());
            assertTrue(faults().contains("recipients.txt has changed and cannot be used"), faults());
            LOGGER.info("still");
            Files.write(folder.resolve("recipients.txt"), SealmarkProgram.run(folder, "keygen", "-y", "new.txt"));
            await(() -> log().contains("new log sessions"));
            assertEquals("null", faults());
            LOGGER.info("then");
        }
        stopLogging();
        String old = opened(NO_KEY_FITS, "key.txt");
        assertTrue(old.contains("still email=" + Canary.MARK) && !old.contains("then email=" + Canary.MARK), old);
        String opened = opened(NO_KEY_FITS, "new.txt");
        assertTrue(opened.contains("then email=" + Canary.MARK), opened);
        assertFalse(opened.contains("still email=" + Canary.MARK), opened);
        verify("-i", "new.txt");
    }

    /** Logback reads its file anew without Spring Boot. */
    @Test
    void aConfigurationThatIsReadAnewSealsToo() throws Exception {
        Path configuration = folder.resolve("logback-spring.xml");
        Files.writeString(configuration, configuration("old"));
        try (ConfigurableApplicationContext application = start("logging.config=" + configuration)) {
            assertTrue(application.isRunning());
            LOGGER.info("one");
            Files.writeString(configuration, configuration("new"));
            await(() -> {
                LOGGER.info("two");
                return log().contains("new two");
            });
        }
        stopLogging();
        Canary.assertNone("the log", Files.readAllBytes(folder.resolve("app.log")));
        String opened = opened("key.txt");
        assertTrue(opened.contains("old one email=" + Canary.MARK) && opened.contains("new two email=" + Canary.MARK), opened);
        verify();
    }

    /** Code that resets Logback attaches appenders by itself; no event says when. */
    @Test
    void aResetByCodeSilencesNothingAndSealsToo() throws Exception {
        LoggerContext logback = (LoggerContext) LoggerFactory.getILoggerFactory();
        try (ConfigurableApplicationContext application = start()) {
            assertTrue(application.isRunning());
            logback.reset();
            LOGGER.info("lost with its appenders");
            attach(logback, file(logback, "app.log"));
            LOGGER.info("after");
            LOGGER.info("and on");
        }
        stopLogging();
        Canary.assertNone("the log", Files.readAllBytes(folder.resolve("app.log")));
        String opened = opened("key.txt");
        assertTrue(opened.contains("\nafter email=" + Canary.MARK + "\nand on email=" + Canary.MARK + "\n"), opened);
        assertFalse(opened.contains("lost"), opened);
        verify();
    }

    /** A thread may log between two of them. */
    @Test
    void anAppenderThatIsAttachedAfterTheFirstEventIsReplacedAndTold() throws Exception {
        String told = errorsAfterReset((logback, errors) -> {
            attach(logback, file(logback, "app.log"));
            LOGGER.info("after");
            attach(logback, file(logback, "late.log"));
            await(() -> logback.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("late.log") instanceof SealedFileAppender);
            await(() -> errors.text().contains("ERROR"));
            LOGGER.info("and on");
        });
        Canary.assertNone("the log", Files.readAllBytes(folder.resolve("app.log")));
        Canary.assertNone("the other", Files.readAllBytes(folder.resolve("late.log")));
        assertTrue(Files.readString(folder.resolve("late.log")).contains("and on email=~s1a~email~"));
        assertEquals("sealmark: ERROR: appender [late.log] was attached after the first event since Logback was reset, and"
                + " wrote in the clear until now\nhint: attach appenders of the package sealmark.logback\n", told);
        verify();
    }

    /** Logback would write nothing with it, either. */
    @Test
    void anAppenderThatCannotBeReplacedLeavesTheOthersSealed() throws Exception {
        String told = errorsAfterReset((logback, errors) -> {
            RollingFileAppender<ILoggingEvent> wrong = new RollingFileAppender<>();
            wrong.setContext(logback);
            wrong.setName("WRONG");
            attach(logback, wrong);
            attach(logback, file(logback, "app.log"));
            LOGGER.info("after");
            LOGGER.info("and on");
            assertEquals("UNKNOWN", SealerHealth.now().status());
            assertTrue(faults().contains("appender [WRONG] cannot be replaced"), faults());
            // The check for late appenders finds no fault any more, but this one still writes nothing.
            TimeUnit.MILLISECONDS.sleep(700);
            assertTrue(faults().contains("appender [WRONG] cannot be replaced"), faults());
        });
        Canary.assertNone("the log", Files.readAllBytes(folder.resolve("app.log")));
        assertTrue(opened("key.txt").contains("\nafter email=" + Canary.MARK + "\nand on email=" + Canary.MARK + "\n"));
        assertTrue(told.startsWith("sealmark: ERROR: appender [WRONG] cannot be replaced with one that seals"), told);
        verify();
    }

    /** Code that has reset Logback goes on with it in a running application, and sees what is written to standard error. */
    private interface AfterReset {
        void run(LoggerContext logback, StandardError errors) throws Exception;
    }

    private String errorsAfterReset(AfterReset code) throws Exception {
        LoggerContext logback = (LoggerContext) LoggerFactory.getILoggerFactory();
        String told;
        try (ConfigurableApplicationContext application = start(); StandardError errors = new StandardError()) {
            assertTrue(application.isRunning());
            logback.reset();
            code.run(logback, errors);
            told = errors.text();
        }
        stopLogging();
        return told;
    }

    private FileAppender<ILoggingEvent> file(LoggerContext logback, String name) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(logback);
        encoder.setPattern("%m email=%X{email}%n");
        encoder.start();
        FileAppender<ILoggingEvent> file = new FileAppender<>();
        file.setContext(logback);
        file.setName(name);
        file.setFile(folder.resolve(name).toString());
        file.setEncoder(encoder);
        file.start();
        return file;
    }

    private static void attach(LoggerContext logback, Appender<ILoggingEvent> appender) {
        logback.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
    }

    /** An appender that is wrong in the new file does not silence the others. */
    @Test
    void aWrongAppenderInAConfigurationThatIsReadAnewLeavesTheOthers() throws Exception {
        Path configuration = folder.resolve("logback-spring.xml");
        Files.writeString(configuration, configuration("old"));
        try (ConfigurableApplicationContext application = start("logging.config=" + configuration)) {
            assertTrue(application.isRunning());
            Files.writeString(configuration, configuration("new").replace("<root", """
                    <appender name="WRONG" class="ch.qos.logback.core.FileAppender">
                      <file>%s</file><prudent>true</prudent><encoder><pattern>%%m%%n</pattern></encoder>
                    </appender>
                    <root""".formatted(folder.resolve("wrong.log")))
                    .replace("<appender-ref", "<appender-ref ref=\"WRONG\"/><appender-ref"));
            await(() -> {
                LOGGER.info("two");
                return log().contains("new two");
            });
        }
        stopLogging();
        Canary.assertNone("the log", Files.readAllBytes(folder.resolve("app.log")));
    }

    /** A line in the queue of an appender that is replaced would be lost. */
    @Test
    void aSecondContextLeavesAppendersInUse() throws Exception {
        Path configuration = folder.resolve("logback-spring.xml");
        Files.writeString(configuration, configuration("async").replace("<root", """
                <appender name="ASYNC" class="ch.qos.logback.classic.AsyncAppender"><appender-ref ref="FILE"/></appender>
                <root""").replace("<root level=\"INFO\"><appender-ref ref=\"FILE\"/>",
                "<root level=\"INFO\"><appender-ref ref=\"ASYNC\"/>"));
        String property = "logging.config=" + configuration;
        try (ConfigurableApplicationContext first = start(property)) {
            Object async = async();
            assertNotNull(async);
            try (ConfigurableApplicationContext second = start(property)) {
                assertTrue(first.isRunning() && second.isRunning());
                assertSame(async, async());
                LOGGER.info("both");
            }
        }
        stopLogging();
        assertTrue(opened("key.txt").contains("async both email=" + Canary.MARK));
        Canary.assertNone("the log", Files.readAllBytes(folder.resolve("app.log")));
    }

    private static Object async() {
        return ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(Logger.ROOT_LOGGER_NAME).getAppender("ASYNC");
    }

    @Test
    void anAccessLogThatIsNotSealedIsTold() {
        start("server.undertow.accesslog.enabled=true").close();
        assertTrue(log().contains("server.undertow.accesslog.enabled=true: that access log is not sealed"), log());
        assertFalse(log().contains("server.jetty"), log());
    }

    private String configuration(String word) {
        return """
                <configuration scan="true" scanPeriod="100 milliseconds">
                  <appender name="FILE" class="ch.qos.logback.core.FileAppender">
                    <file>%s</file>
                    <encoder><pattern>WORD %%m email=%%X{email}%%n</pattern></encoder>
                  </appender>
                  <root level="INFO"><appender-ref ref="FILE"/></root>
                </configuration>
                """.formatted(folder.resolve("app.log")).replace("WORD", word);
    }

    private ConfigurableApplicationContext start(String... properties) {
        SpringApplication application = new SpringApplication(Small.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        List<String> arguments = new ArrayList<>(List.of("--sealmark.recipients-file=" + folder.resolve("recipients.txt"),
                "--sealmark.seal=email", "--logging.file.name=" + folder.resolve("app.log"),
                "--logging.pattern.file=%m email=%X{email}%n%wEx", "--spring.main.banner-mode=off"));
        for (String property : properties) {
            String name = "--" + property.substring(0, property.indexOf('=') + 1);
            arguments.removeIf(argument -> argument.startsWith(name));
            arguments.add("--" + property);
        }
        return application.run(arguments.toArray(String[]::new));
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("app.log"));
        } catch (java.io.IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    private static void await(BooleanSupplier isSo) throws InterruptedException {
        for (int wait = 0; wait < 500 && !isSo.getAsBoolean(); wait++) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertTrue(isSo.getAsBoolean());
    }

    private String opened(String key) throws Exception {
        return opened(0, key);
    }

    private String opened(int code, String key) throws Exception {
        return new String(SealmarkProgram.run(folder, code, "log", "open", "-i", key, "app.log"), UTF_8);
    }

    private void verify(String... keys) throws Exception {
        List<String> command = new ArrayList<>(List.of("log", "verify", "--closed", "-i", "key.txt"));
        command.addAll(Arrays.asList(keys));
        command.add("app.log");
        assertNotNull(SealmarkProgram.run(folder, command.toArray(String[]::new)));
    }

    @SpringBootConfiguration
    @ImportAutoConfiguration(SealmarkAutoConfiguration.class)
    static class Small {}
}
