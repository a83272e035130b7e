package sealmark.logback;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.status.Status;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import sealmark.log.Sealed;
import sealmark.testing.StandardError;

/** A configuration that is wrong in a usual way loses no value, and shows none, without an error that the operator sees. */
class MistakesTest {
    private static final String PATTERN = "user=%sealed{user:--} %msg %sealedKvp{NONE, card}%n%sealedEx";

    private static final String ASYNC =
            "<appender name='ASYNC' class='ch.qos.logback.classic.AsyncAppender'><appender-ref ref='FILE'/></appender>";

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    private StandardError printed;

    @BeforeEach
    void watchStandardError() {
        printed = new StandardError();
    }

    @AfterEach
    void giveBackStandardError() {
        printed.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"%sealed(%msg){message}%n", "%sealed{user}%nopex%n", "%sealedKvp%nopex%n", "%sealedEx%n"})
    void anAppenderOfLogbackGetsMarkersAndAnError(String pattern) {
        LoggerContext context = logs.configure(LogFolder.SEALER + foreign("ch.qos.logback.core.FileAppender", pattern));
        log(context.getLogger("a"));
        log(context.getLogger("a"));
        context.stop();
        String log = logs.text("app.log");
        assertTrue(log.contains("~s1x~"), log);
        assertFalse(log.contains("~s1a~"), log);
        logs.assertHidden(List.of("4111", "hanako"), "app.log");
        assertEquals(List.of("appender [FILE] of class ch.qos.logback.core.FileAppender writes no headers, so the values that"
                + " its pattern seals become markers\nhint: <appender name=\"FILE\""
                + " class=\"sealmark.logback.SealedFileAppender\">"), LogFolder.statuses(context, Status.ERROR));
        assertTrue(printed().contains("sealmark: ERROR: appender [FILE] of class"), printed());
    }

    @Test
    void anAppenderOfLogbackIsAnErrorWhenTheConfigurationIsComplete() {
        LoggerContext context = logs.configure(LogFolder.SEALER + """
                <appender name="FILE" class="ch.qos.logback.core.rolling.RollingFileAppender">
                  <file>FOLDER/app.log</file>
                  <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
                    <fileNamePattern>FOLDER/app.%d.log</fileNamePattern>
                  </rollingPolicy>
                  <encoder><pattern>%sealed(%msg){message}%n</pattern></encoder>
                </appender>
                <appender name="ASYNC" class="ch.qos.logback.classic.AsyncAppender"><appender-ref ref="FILE"/></appender>
                <root level="INFO"><appender-ref ref="ASYNC"/></root>
                """);
        context.start();
        List<String> errors = LogFolder.statuses(context, Status.ERROR);
        assertEquals(1, errors.size(), errors.toString());
        assertTrue(errors.get(0).contains("hint: <appender name=\"FILE\""
                + " class=\"sealmark.logback.SealedRollingFileAppender\">"), errors.get(0));
        context.stop();
    }

    @Test
    void aConfigurationWithoutAnAppenderOfOursIsWarnedOf() {
        LoggerContext context = logs.configure(
                LogFolder.SEALER + foreign("ch.qos.logback.core.FileAppender", "%msg%nopex%n"));
        context.start();
        assertEquals(List.of("no appender writes headers, so values of Sealed.of in messages could not be opened\n"
                + "hint: an appender of the package sealmark.logback, or a <sideFile> of the sealer"),
                LogFolder.statuses(context, Status.WARN));
        context.stop();
    }

    @ParameterizedTest
    @CsvSource({
        "JsonEncoder, <encoder class='ch.qos.logback.classic.encoder.JsonEncoder'/>",
        "HTMLLayout, <encoder class='ch.qos.logback.core.encoder.LayoutWrappingEncoder'>"
                + "<layout class='ch.qos.logback.classic.html.HTMLLayout'/></encoder>"})
    void anEncoderThatSealsNothingIsWarnedOf(String name, String encoder) {
        for (String clear : List.of("", "<clear>encoder</clear>")) {
            LoggerContext context = logs.configure(LogFolder.SEALER
                    + "<appender name='FILE' class='sealmark.logback.SealedFileAppender'><file>FOLDER/app.log</file>"
                    + clear + encoder + "</appender><root level='INFO'><appender-ref ref='FILE'/></root>");
            List<String> warnings = LogFolder.statuses(context, Status.WARN);
            context.stop();
            assertEquals(clear.isEmpty() ? 1 : 0, warnings.size(), warnings.toString());
            assertTrue(clear.isEmpty() == warnings.stream().anyMatch(warning -> warning.startsWith(name + " writes MDC entries")),
                    warnings.toString());
        }
    }

    @Test
    void anAppenderThatMakesOthersIsNotWarnedOf() {
        LoggerContext context = logs.configure(LogFolder.SEALER + """
                <appender name="SIFT" class="ch.qos.logback.classic.sift.SiftingAppender">
                  <discriminator><key>user</key><defaultValue>nobody</defaultValue></discriminator>
                  <sift>
                    <appender name="FILE-${user}" class="sealmark.logback.SealedFileAppender">
                      <file>FOLDER/${user}.log</file>
                      <encoder><pattern>%sealed(%msg){message}%n</pattern></encoder>
                    </appender>
                  </sift>
                </appender>
                <root level="INFO"><appender-ref ref="SIFT"/></root>
                """);
        context.start();
        context.getLogger("a").info("secret");
        LogFolder.assertNoErrors(context);
        context.stop();
        logs.assertWhole("nobody.log");
    }

    @Test
    void anAppenderOfLogbackGetsTokensIfThereIsASideFile() {
        LoggerContext context = logs.configure(LogFolder.SEALER.replace("</contextListener>",
                "<sideFile>FOLDER/side.txt</sideFile></contextListener>")
                + foreign("ch.qos.logback.core.FileAppender", "%sealed(%msg){message}%n"));
        context.start();
        context.getLogger("a").info("secret");
        LogFolder.assertNoErrors(context);
        context.stop();
        assertTrue(logs.text("app.log").startsWith("~s1a~message~"), logs.text("app.log"));
        assertTrue(logs.opened("side.txt", "app.log").endsWith("secret\n"));
    }

    /** Two logs, one sealer, as docs/java.md has them: each is whole by itself. */
    @ParameterizedTest
    @CsvSource({"CONSOLE, FILE", "FILE, CONSOLE", "ASYNC, CONSOLE", "CONSOLE, ASYNC"})
    void twoAppendersWithOneSealerCanBeVerifiedEach(String first, String second) throws IOException {
        PrintStream out = System.out;
        LoggerContext context;
        try (PrintStream console = new PrintStream(Files.newOutputStream(logs.folder.resolve("console.log")), true, UTF_8)) {
            System.setOut(console);
            context = logs.configure(LogFolder.SEALER + """
                    <appender name="CONSOLE" class="sealmark.logback.SealedConsoleAppender">
                      <filter class="ch.qos.logback.classic.filter.ThresholdFilter"><level>THRESHOLD</level></filter>
                      <encoder><pattern>PATTERN</pattern></encoder>
                    </appender>
                    <appender name="FILE" class="sealmark.logback.SealedFileAppender">
                      <file>FOLDER/app.log</file>
                      <encoder><pattern>PATTERN</pattern></encoder>
                    </appender>
                    ASYNC_APPENDER<root level="INFO"><appender-ref ref="FIRST"/><appender-ref ref="SECOND"/></root>
                    """.replace("ASYNC_APPENDER", first.equals("ASYNC") || second.equals("ASYNC") ? ASYNC : "")
                    .replace("PATTERN", PATTERN).replace("FIRST", first).replace("SECOND", second)
                    // A message that an AsyncAppender was given has its tokens already, which both logs need.
                    .replace("THRESHOLD", first.equals("ASYNC") ? "INFO" : "WARN"));
            for (int times = 0; times < 3; times++) {
                log(context.getLogger("a"));
                context.getLogger("a").warn("a stranger wrote ~s1a~x~AAAAAAAAAAAAAAAA~AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA~");
            }
            LogFolder.assertNoErrors(context);
            context.stop();
        } finally {
            System.setOut(out);
        }
        for (String log : List.of("console.log", "app.log")) {
            logs.assertHidden(List.of("4111", "hanako"), log);
            logs.assertWhole(log);
            assertTrue(logs.opened(log).contains("refused, email=hanako@example.com card=4111\n"), logs.opened(log));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "%sealed(%msg){message}%n%ex     | WARN | the pattern writes %ex in the clear         | %sealedEx, or <clear>ex<",
        "%sealed(%msg){message} %xEx%n   | WARN | the pattern writes %xEx in the clear        | %sealedEx, or <clear>xEx<",
        "%sealedKvp{card}%n              | WARN | the pattern writes %ex in the clear         | %sealedEx, or <clear>ex<",
        "%sealed(%msg){message} %X%n     | WARN | the pattern writes %mdc in the clear        | %sealed(%mdc){mdc}, or <clear>mdc<",
        "%sealed(%msg){message} %kvp%n   | WARN | the pattern writes %kvp in the clear        | %sealedKvp, or <clear>kvp<",
        "%sealed(%msg){m} %red(%X{u:-})%n| WARN | the pattern writes %mdc{u} in the clear     | %sealed{u}, or <clear>mdc{u}<",
        "%d %msg%n                       | WARN | the pattern seals nothing, and writes %msg, %ex in the clear | %sealed(%msg){message} %sealedEx, or <clear>msg, ex<",
        "%sealed{user} %msg%n            | INFO | the pattern writes %msg in the clear, except for values | %sealed(%msg){message}",
    })
    void aPatternThatWritesInClearIsTold(String pattern, String level, String message, String hint) {
        LoggerContext context = logs.configure(LogFolder.SEALER + sealed(pattern, ""));
        context.stop();
        List<String> told = context.getStatusManager().getCopyOfStatusList().stream()
                .filter(status -> status.getLevel() >= (level.equals("WARN") ? Status.WARN : Status.INFO))
                .map(Status::getMessage).filter(text -> text.startsWith("the pattern writes ") || text.contains("nothing"))
                .toList();
        assertEquals(1, told.size(), told.toString());
        assertTrue(told.get(0).startsWith(message), told.get(0));
        assertTrue(told.get(0).contains("\nhint: " + hint), told.get(0));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "%sealed(%msg %X){message}%n                | ",
        "%sealed(%msg){message} %X{trace}%n%ex      | %exception, X{trace}",
        "%m %kvp%n                                  | message kvp ex",
        "%replace(%sealed(%msg){message}){'a','b'}%n| ",
    })
    void aPatternThatIsMeantSoIsNotTold(String pattern, String clear) {
        LoggerContext context = logs.configure(
                LogFolder.SEALER + sealed(pattern, clear == null ? "" : "<clear>" + clear + "</clear>"));
        LogFolder.assertNoErrors(context);
        context.stop();
    }

    @Test
    void aMarkerIsToldOnceWithItsReason() {
        LoggerContext context = logs.configure(LogFolder.SEALER.replace("recipients.txt", "nosuch.txt")
                + sealed("%sealed(%msg){message}%n", ""));
        context.getLogger("a").info("secret");
        context.getLogger("a").info("secret");
        context.stop();
        String said = printed();
        String reason = "cannot create sealer \"default\", so values are replaced with ~s1x~ markers: recipientsFile \""
                + logs.folder.resolve("nosuch.txt") + "\" cannot be read: no such file\nhint: sealmark keygen -y key.txt"
                + " > nosuch.txt\n";
        assertTrue(said.startsWith("sealmark: ERROR: " + reason), said);
        assertEquals(List.of("", reason, "a value was not sealed, and the log has the marker ~s1x~message~: " + reason),
                List.of(said.split("sealmark: ERROR: ")));
    }

    /** Nobody looks at the statuses of such an application, or they are on standard output amid the log. */
    @ParameterizedTest
    @CsvSource({"NopStatusListener, true", "StatusListenerAsList, true", "OnConsoleStatusListener, true",
        "OnErrorConsoleStatusListener, false"})
    void standardErrorIsToldWhateverTheStatusListener(String listener, boolean isOurs) {
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        try {
            LoggerContext context = logs.configure("<statusListener class='ch.qos.logback.core.status." + listener + "'/>"
                    + sealed("%sealed(%msg){message}%n", "").replace("%sealed(%msg){message}", "%msg"));
            context.getLogger("a").info("{}", Sealed.of("email", "hanako@example.com"));
            context.stop();
        } finally {
            System.setOut(out);
        }
        for (String part : List.of("the pattern seals nothing, and writes %msg, %ex in the clear", "a value was not sealed")) {
            String said = printed();
            assertEquals(isOurs, said.contains("sealmark: WARN: " + part) || said.contains("sealmark: ERROR: " + part), said);
            assertEquals(said.indexOf(part), said.lastIndexOf(part), said);
            assertTrue(said.contains(part), said);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "%sealed(%msg){message} %X{trace}%n | the pattern writes %mdc{trace} in the clear",
        "%msg%n                             | the pattern seals nothing, and writes %msg, %ex in the clear",
        "%sealed{usr}%n                     | %sealed: \"usr\" matched nothing in any record",
    })
    void aWarningComesOnceForAllAppenders(String pattern, String warning) {
        String one = sealed(pattern, "");
        LoggerContext context = logs.configure(LogFolder.SEALER + one
                + one.replace("'FILE'", "'OTHER'").replace("app.log", "other.log"));
        context.getLogger("a").info("text");
        context.stop();
        assertEquals(1, LogFolder.statuses(context, Status.WARN).stream().filter(text -> text.startsWith(warning)).count(),
                () -> LogFolder.statuses(context, Status.WARN).toString());
        assertEquals(2, printed().split(Pattern.quote(warning), -1).length, printed());
    }

    @Test
    void aNameThatMatchesNothingIsPrinted() {
        LoggerContext context = logs.configure(LogFolder.SEALER + sealed("%sealed{usr} %nopex%n", ""));
        log(context.getLogger("a"));
        context.stop();
        assertTrue(printed().contains("sealmark: WARN: %sealed: \"usr\" matched nothing in any record"), printed());
    }

    private static void log(Logger logger) {
        logger.atInfo().addKeyValue("card", "4111").addKeyValue("user", "u").log("paid by {}", Sealed.of("email", "hanako"));
        logger.atWarn().addKeyValue("card", "4111").setCause(new IllegalStateException("no card 4111"))
                .log("refused, email={}", Sealed.of("email", "hanako@example.com"));
    }

    private static String foreign(String type, String pattern) {
        return "<appender name='FILE' class='" + type + "'><file>FOLDER/app.log</file><encoder><pattern>" + pattern
                + "</pattern></encoder></appender><root level='INFO'><appender-ref ref='FILE'/></root>";
    }

    private static String sealed(String pattern, String more) {
        return foreign("sealmark.logback.SealedFileAppender", pattern).replace("<file>", more + "<file>");
    }

    private String printed() {
        return printed.text();
    }
}
