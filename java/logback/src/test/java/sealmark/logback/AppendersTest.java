package sealmark.logback;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.recovery.ResilientFileOutputStream;
import ch.qos.logback.core.status.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import sealmark.log.Sealed;
import sealmark.testing.Sink;

class AppendersTest {
    private static final String FILE = LogFolder.SEALER + """
            <appender name="SEALED" class="sealmark.logback.SealedFileAppender">
              <file>FOLDER/sealed.log</file>
              <encoder><pattern>value=%sealed(%msg){value}%n</pattern></encoder>
              MORE
            </appender>
            <root level="DEBUG"><appender-ref ref="SEALED"/></root>
            """;

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    @Test
    void aFileBeginsWithTheHeaderAndEndsWithTheClosingToken() {
        LoggerContext context = configure("");
        assertEquals("", logs.text("sealed.log"));
        context.getLogger("a").info("secret");
        assertTrue(logs.text("sealed.log").matches("(?s)~s1h~[^~]+~[^~]+~1\\.1~[^~]+~\nvalue=~s1a~value~.*~\n"));
        context.stop();
        assertTrue(logs.text("sealed.log").matches("(?s).*~\n~s1z~[^~]+~[^~]+~\n"));
        logs.assertWhole("sealed.log");
    }

    @Test
    void aFileGoesOnWithAnotherSession() {
        for (String message : List.of("one", "two", "three")) {
            LoggerContext context = configure("");
            context.getLogger("a").info(message);
            context.stop();
        }
        assertEquals("value=one\nvalue=two\nvalue=three\n", logs.opened("sealed.log"));
        logs.assertWhole("sealed.log");
    }

    @Test
    void theShapeIsAsConfigured() {
        LoggerContext context = configure("<shape>json</shape>");
        context.getLogger("a").info("secret");
        context.stop();
        assertTrue(logs.text("sealed.log").startsWith("{\"sealmark\":\"~s1h~"), logs.text("sealed.log"));
        assertEquals("value=secret\n", logs.opened("sealed.log"));
    }

    @Test
    void aShapeThatIsNoneIsAnErrorAndPlain() {
        LoggerContext context = configure("<shape>xml</shape>");
        context.getLogger("a").info("secret");
        context.stop();
        assertEquals("\"xml\" is not a shape of a line\nhint: <shape>PLAIN</shape> or JSON",
                LogFolder.statuses(context, Status.ERROR).get(0));
        assertTrue(logs.text("sealed.log").startsWith("~s1h~"), logs.text("sealed.log"));
    }

    @Test
    void manyWritersAreRefused() {
        LoggerContext context = configure("<prudent>true</prudent>");
        context.getLogger("a").info("secret");
        context.stop();
        assertTrue(LogFolder.statuses(context, Status.ERROR).get(0).contains("\"prudent\" is not supported"));
        assertFalse(Files.exists(logs.folder.resolve("sealed.log")));
    }

    @Test
    void encodingsThatHideTokensAreRefused() {
        LoggerContext context = logs.configure(FILE.replace("<pattern>", "<charset>UTF-16</charset><pattern>"));
        context.getLogger("a").info("secret");
        context.stop();
        String error = LogFolder.statuses(context, Status.ERROR).get(0);
        assertTrue(error.startsWith("tokens cannot be found in the encoder's charset, UTF-16"), error);
        assertFalse(Files.exists(logs.folder.resolve("sealed.log")));
    }

    @Test
    void otherEncodingsAreTaken() throws IOException {
        LoggerContext context =
                logs.configure(FILE.replace("<pattern>value", "<charset>ISO-8859-1</charset><pattern>\u00e9 value"));
        context.getLogger("a").info("secret");
        context.stop();
        logs.run(0, "log", "open", "-i", "key.txt", "-o", "opened.log", "sealed.log");
        assertEquals("\u00e9 value=secret\n",
                Files.readString(logs.folder.resolve("opened.log"), ISO_8859_1));
    }

    @Test
    void aSealerMayBelongToAnAppender() {
        String nested = "<sealer><name>audit</name><recipientsFile>FOLDER/recipients.txt</recipientsFile></sealer>";
        LoggerContext context = configure(nested);
        assertTrue(Sealed.of("value", "secret").by("audit").toString().startsWith("~s1a~value~"));
        context.stop();
        assertEquals("~s1x~value~", Sealed.of("value", "secret").by("audit").toString());
    }

    @Test
    void theConsoleHasHeadersToo() throws IOException {
        ByteArrayOutputStream console = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(console, true, UTF_8));
        try {
            LoggerContext context = logs.configure(FILE.replace("SealedFileAppender", "SealedConsoleAppender")
                    .replace("<file>FOLDER/sealed.log</file>", ""));
            context.getLogger("a").info("secret");
            context.stop();
            LogFolder.assertNoErrors(context);
        } finally {
            System.setOut(before);
        }
        Files.write(logs.folder.resolve("console.log"), console.toByteArray());
        assertEquals("value=secret\n", logs.opened("console.log"));
        logs.assertWhole("console.log");
        logs.assertHidden(List.of("secret"), "console.log");
    }

    @Test
    void asyncLinesAreWholeWhenTheContextStops() {
        LoggerContext context = logs.configure(FILE.replace("<root level=\"DEBUG\"><appender-ref ref=\"SEALED\"/>", """
                <appender name="ASYNC" class="ch.qos.logback.classic.AsyncAppender">
                  <queueSize>16</queueSize><discardingThreshold>0</discardingThreshold>
                  <appender-ref ref="SEALED"/>
                </appender>
                <root level="DEBUG"><appender-ref ref="ASYNC"/>
                """));
        StringBuilder expected = new StringBuilder();
        for (int at = 0; at < 500; at++) {
            context.getLogger("a").info("secret {}", at);
            expected.append("value=secret ").append(at).append('\n');
        }
        context.stop();
        LogFolder.assertNoErrors(context);
        assertEquals(expected.toString(), logs.opened("sealed.log"));
        logs.assertWhole("sealed.log");
    }

    @Test
    void headersComeFirstHoweverManyThreadsLog() throws InterruptedException {
        LoggerContext context = logs.configure(
                FILE.replace("</contextListener>", "<rotateAfterValues>64</rotateAfterValues></contextListener>"));
        inThreads(8, thread -> {
            for (int at = 0; at < 500; at++) {
                context.getLogger("a").info("{}-{}", thread, at);
            }
        });
        context.stop();
        LogFolder.assertNoErrors(context);
        logs.assertWhole("sealed.log");
        assertEquals(4000, logs.opened("sealed.log").lines().distinct().count());
        assertTrue(logs.text("sealed.log").lines().filter(line -> line.startsWith("~s1h~")).count() > 50);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileThatWasLostForAWhileHasItsHeaderAgain(boolean flushing) throws IOException {
        LoggerContext context = configure("<immediateFlush>" + flushing + "</immediateFlush>");
        Logger logger = context.getLogger("a");
        logger.info("before");
        breakStream(context);
        Files.delete(logs.folder.resolve("sealed.log"));
        logUntilRecovered(context);
        logger.info("after");
        context.stop();
        LogFolder.assertHeadersComeFirst(logs.text("sealed.log"));
        assertTrue(logs.opened("sealed.log").endsWith("value=after\n"));
    }

    /** Fails as a full disk does. */
    @Test
    void aLineThatWasCutOffByAFailureTakesNoneOfOursWithIt() throws IOException {
        LoggerContext context = configure("");
        context.getLogger("a").info("before");
        breakStream(context);
        Files.writeString(logs.folder.resolve("sealed.log"), "value=~s1a~", StandardOpenOption.APPEND);
        logUntilRecovered(context);
        context.getLogger("a").info("after");
        context.stop();
        String opened = logs.opened("sealed.log");
        assertTrue(opened.matches("value=before\nvalue=~s1a~\n(value=lost \\d+\n)*value=after\n"), opened);
    }

    private static void breakStream(LoggerContext context) throws IOException {
        OutputStreamAppender<?> appender =
                (OutputStreamAppender<?>) context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("SEALED");
        ((ResilientFileOutputStream) appender.getOutputStream()).getChannel().close();
    }

    /** Logback waits before it tries the file again, longer each time. */
    private static void logUntilRecovered(LoggerContext context) {
        for (int at = 0; !recovered(context); at++) {
            context.getLogger("a").info("lost {}", at);
        }
    }

    private static boolean recovered(LoggerContext context) {
        return LogFolder.statuses(context, Status.INFO).stream()
                .anyMatch(line -> line.startsWith("Recovered from IO failure"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"SealedFileAppender", "SealedRollingFileAppender"})
    void aLineThatACrashCutOffTakesNoneOfOursWithIt(String appender) throws IOException {
        String cut = "value=~s1a~value~7gQ2mJ0cXbVt";
        Files.writeString(logs.folder.resolve("sealed.log"), cut);
        String rolling = appender.equals("SealedFileAppender") ? "" : """
                <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
                  <fileNamePattern>FOLDER/sealed.%d{yyyy-MM}.log</fileNamePattern>
                </rollingPolicy>
                """;
        LoggerContext context = logs.configure(
                FILE.replace("SealedFileAppender", appender).replace("MORE", rolling));
        context.getLogger("a").info("secret");
        context.stop();
        LogFolder.assertNoErrors(context);
        logs.assertWhole("sealed.log");
        assertEquals(cut + "\nvalue=secret\n", logs.opened("sealed.log"));
    }

    @Test
    void argumentsMayLogThemselves() {
        LoggerContext context = configure("");
        Logger logger = context.getLogger("a");
        logger.info("outer {}", new Object() {
            @Override
            public String toString() {
                logger.info("inner");
                return "value";
            }
        });
        context.stop();
        assertEquals(List.of("value=inner", "value=outer value"), logs.opened("sealed.log").lines().toList());
        logs.assertWhole("sealed.log");
    }

    private LoggerContext configure(String more) {
        return logs.configure(FILE.replace("MORE", more));
    }

    /** Runs it in threads at once. */
    static void inThreads(int threads, IntConsumer what) throws InterruptedException {
        List<Thread> started = new ArrayList<>();
        for (int at = 0; at < threads; at++) {
            int number = at;
            started.add(new Thread(() -> what.accept(number)));
        }
        started.forEach(Thread::start);
        for (Thread thread : started) {
            thread.join();
        }
    }

    /** Out of stack or memory, for instance. */
    @Test
    void aHeaderThatAnErrorKeptFromTheLogIsWrittenAgain() throws Exception {
        LoggerContext context = logs.configure(LogFolder.SEALER
                + "<appender name='SEALED' class='sealmark.logback.SealedConsoleAppender'>"
                + "<encoder><pattern>%msg%n</pattern></encoder></appender>"
                + "<root level='DEBUG'><appender-ref ref='SEALED'/></root>");
        Logger logger = context.getLogger("a");
        ByteArrayOutputStream console = new ByteArrayOutputStream();
        PrintStream before = System.out;
        try {
            System.setOut(Sink.failing(new OutOfMemoryError("none")));
            assertThrows(OutOfMemoryError.class, () -> logger.info("{}", Sealed.of("email", "one")));
            System.setOut(new PrintStream(console, true, UTF_8));
            logger.info("{}", Sealed.of("email", "two"));
        } finally {
            System.setOut(before);
        }
        Files.write(logs.folder.resolve("console.log"), console.toByteArray());
        assertEquals("two\n", logs.opened("console.log"));
        context.stop();
    }
}
