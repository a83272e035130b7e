package sealmark.logback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import sealmark.log.Sealed;
import sealmark.testing.RepeatedHeaders;

/** Files that are rolled over while many threads log. */
class RollOverTest {
    private static final int THREADS = 8;
    private static final int LINES = 400;
    private static final String LOGS = LogFolder.SEALER + """
            <appender name="SEALED" class="sealmark.logback.SealedRollingFileAppender">
              <file>FOLDER/sealed.log</file>
              POLICY
              <encoder><pattern>[%thread] message=%sealed(%msg){message} %sealedEx{1}%n</pattern></encoder>
            </appender>
            <appender name="TWIN" class="ch.qos.logback.core.FileAppender">
              <file>FOLDER/twin.log</file>
              <encoder><pattern>[%thread] message=%msg %ex{1}%n</pattern></encoder>
            </appender>
            <root level="DEBUG"><appender-ref ref="SEALED"/><appender-ref ref="TWIN"/></root>
            """;
    private static final String BY_SIZE = """
            <rollingPolicy class="ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy">
              <fileNamePattern>FOLDER/sealed.%d{yyyy-MM-dd}.%i.log</fileNamePattern>
              <maxFileSize>100KB</maxFileSize>
            </rollingPolicy>
            """;
    private static final String BY_TIME = """
            <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
              <fileNamePattern>FOLDER/sealed.%d{yyyy-MM-dd_HH-mm}.log</fileNamePattern>
            </rollingPolicy>
            """;
    private static final String BY_HAND = """
            <rollingPolicy class="ch.qos.logback.core.rolling.FixedWindowRollingPolicy">
              <fileNamePattern>FOLDER/sealed.%i.log</fileNamePattern>
            </rollingPolicy>
            <triggeringPolicy class="ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy"/>
            """;

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    /** logrotate's copytruncate takes the header with it. */
    @Test
    void aFileThatWasEmptiedOpensAlone() throws Exception {
        LoggerContext context = RepeatedHeaders.of(() -> logs.configure(LOGS.replace("POLICY", BY_SIZE)));
        context.getLogger("a").info("one");
        Files.write(logs.folder.resolve("sealed.log"), new byte[0]);
        context.getLogger("a").info("two");
        context.stop();
        assertEquals("[main] message=two \n", logs.opened("sealed.log"));
    }

    @Test
    void eachFileOfASizeIsWhole() throws Exception {
        LoggerContext context = configure(BY_SIZE);
        AppendersTest.inThreads(THREADS, thread -> log(context.getLogger("a"), thread));
        context.stop();
        assertEachFileIsWhole(context);
        for (String log : rolledOver()) {
            assertTrue(Files.size(logs.folder.resolve(log)) < 110_000, () -> log + " is longer than it may be");
        }
    }

    @Test
    void headersCountForTheSize() throws Exception {
        LoggerContext context = logs.configure(LOGS.replace("POLICY", BY_SIZE.replace("100KB", "20KB"))
                .replace("</contextListener>", "<rotateAfterValues>1</rotateAfterValues></contextListener>"));
        log(context.getLogger("a"), 0);
        context.stop();
        List<String> files = rolledOver();
        assertTrue(files.size() > 2, files.toString());
        for (String log : files) {
            assertTrue(Files.size(logs.folder.resolve(log)) < 23_000, () -> log + " is longer than it may be");
        }
    }

    @Test
    void eachFileIsWholeWhenVirtualThreadsLog() throws Exception {
        LoggerContext context = configure(BY_SIZE);
        ExecutorService threads = virtualThreads();
        for (int at = 0; at < THREADS * 10; at++) {
            int number = at;
            threads.execute(() -> {
                for (int line = 0; line < LINES / 10; line++) {
                    context.getLogger("a").info("secret {} {}", number, line);
                }
            });
        }
        threads.shutdown();
        assertTrue(threads.awaitTermination(1, TimeUnit.MINUTES));
        context.stop();
        assertEachFileIsWhole(context);
    }

    @Test
    void eachFileIsWholeWhenArgumentsAreSealed() throws Exception {
        LoggerContext context = logs.configure(LOGS.replace("POLICY", BY_SIZE)
                .replace("message=%sealed(%msg){message}", "%msg").replace("<appender-ref ref=\"TWIN\"/>", ""));
        AppendersTest.inThreads(THREADS, thread -> logSealed(context.getLogger("a"), thread));
        context.stop();
        for (String log : rolledOver()) {
            logs.assertWhole(log);
        }
        String[] all = rolledOver().toArray(String[]::new);
        assertTrue(all.length > 2);
        assertEquals(THREADS * LINES, logs.opened(all).lines().distinct().count());
    }

    private static void logSealed(Logger logger, int thread) {
        for (int at = 0; at < LINES; at++) {
            logger.info("message={}", Sealed.of("message", "secret " + thread + " " + at));
        }
    }

    @Test
    void eachFileOfATimeIsWhole() throws Exception {
        LoggerContext context = configure(BY_TIME);
        TimeBasedRollingPolicy<?> policy = (TimeBasedRollingPolicy<?>) ((RollingFileAppender<?>)
                context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("SEALED")).getRollingPolicy();
        AtomicLong minute = new AtomicLong();
        long start = System.currentTimeMillis();
        IntConsumer log = thread -> {
            for (int at = 0; at < LINES; at++) {
                if (at % 100 == 99 && thread == 0) {
                    policy.getTimeBasedFileNamingAndTriggeringPolicy()
                            .setCurrentTime(start + TimeUnit.MINUTES.toMillis(minute.incrementAndGet()));
                }
                context.getLogger("a").info("secret {} {}", thread, at);
            }
        };
        AppendersTest.inThreads(THREADS, log);
        context.stop();
        assertEachFileIsWhole(context);
    }

    @Test
    void argumentsThatWereSealedBeforeAreWholeOverAllFiles() throws Exception {
        LoggerContext context = logs.configure(LOGS.replace("POLICY", BY_SIZE)
                .replace("message=%sealed(%msg){message}", "%msg")
                .replace("<root level=\"DEBUG\"><appender-ref ref=\"SEALED\"/><appender-ref ref=\"TWIN\"/>", """
                        <appender name="ASYNC" class="ch.qos.logback.classic.AsyncAppender">
                          <discardingThreshold>0</discardingThreshold><appender-ref ref="SEALED"/>
                        </appender>
                        <root level="DEBUG"><appender-ref ref="ASYNC"/>
                        """));
        AppendersTest.inThreads(THREADS, thread -> logSealed(context.getLogger("a"), thread));
        context.stop();
        List<String> files = rolledOver();
        assertTrue(files.size() > 2, files.toString());
        String[] all = files.toArray(String[]::new);
        logs.assertWhole(all);
        assertEquals(THREADS * LINES, logs.opened(all).lines().distinct().count());
        logs.assertHidden(List.of("secret"), all);
    }

    /** Where a value's text waits for what the thread holds that rolls over, the line stands in the next file. */
    @Test
    @Timeout(60)
    void rollOverDoesNotWaitForEver() throws Exception {
        LoggerContext context = logs.configure(
                LOGS.replace("POLICY", BY_HAND).replace("%sealed(%msg){message}", "%sealedKvp"));
        RollingFileAppender<?> appender =
                (RollingFileAppender<?>) context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("SEALED");
        Waiting value = new Waiting(new CountDownLatch(1), new CountDownLatch(1));
        Thread logging = new Thread(() -> context.getLogger("a").atInfo().addKeyValue("value", value).log());
        logging.start();
        value.asked.await();
        appender.rollover();
        value.answer.countDown();
        logging.join();
        context.stop();
        assertEquals(2, rolledOver().size());
        assertTrue(logs.opened("sealed.log").contains("message=value=\"secret\""));
    }

    /** Has its text when it may. */
    private record Waiting(CountDownLatch asked, CountDownLatch answer) {
        @Override
        public String toString() {
            asked.countDown();
            try {
                answer.await();
            } catch (InterruptedException error) {
                throw new AssertionError(error);
            }
            return "secret";
        }
    }

    private static void log(Logger logger, int thread) {
        for (int at = 0; at < LINES; at++) {
            if (at % 10 == 0) {
                logger.warn("secret {} {}", thread, at, new IllegalStateException("secret " + at));
            } else {
                logger.info("secret {} {}", thread, at);
            }
        }
    }

    private LoggerContext configure(String policy) {
        return logs.configure(LOGS.replace("POLICY", policy));
    }

    private List<String> rolledOver() throws IOException {
        return logs.logs("sealed.");
    }

    private void assertEachFileIsWhole(LoggerContext context) throws IOException {
        LogFolder.assertNoErrors(context);
        List<String> files = rolledOver();
        assertTrue(files.size() > 2, files.toString());
        List<String> opened = new ArrayList<>();
        for (String log : files) {
            logs.assertWhole(log);
            logs.opened(log).lines().forEach(opened::add);
        }
        logs.assertHidden(List.of("secret"), files.toArray(String[]::new));
        List<String> expected = new ArrayList<>(logs.text("twin.log").lines().toList());
        expected.sort(null);
        opened.sort(null);
        assertEquals(expected, opened);
    }

    private static ExecutorService virtualThreads() {
        try {
            Method method = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
            return (ExecutorService) method.invoke(null);
        } catch (NoSuchMethodException error) {
            return Assumptions.abort("this Java has no virtual threads");
        } catch (ReflectiveOperationException error) {
            throw new LinkageError(error.getMessage(), error);
        }
    }
}
