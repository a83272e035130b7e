package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.ParameterizedMessage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.Sealed;
import sealmark.testing.Pipe;
import sealmark.testing.Sink;

/** {@code <SealedLayout>} in the appenders that it is for. */
class AppendersTest {
    @TempDir
    static Path keys;

    private static Program program;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeKey() throws Exception {
        program = new Program(keys);
    }

    private String configuration(String appender) {
        return """
                <Sealer recipient="%s"/>
                <Appenders>%s</Appenders>
                <Loggers><Root level="info"><AppenderRef ref="app"/></Root></Loggers>
                """.formatted(program.recipient, appender);
    }

    private static String layout(String attributes) {
        return "<SealedLayout><PatternLayout pattern=\"%p %sealed{%m}{message}%n\" " + attributes + "/></SealedLayout>";
    }

    private static String messages(int from, int to) {
        return IntStream.range(from, to).mapToObj(at -> "INFO message " + at + "\n").reduce("", String::concat);
    }

    private static void log(Running log, int from, int to) {
        IntStream.range(from, to).forEach(at -> log.logger().info("message {}", at));
    }

    @ParameterizedTest
    @ValueSource(strings = {"File", "RandomAccessFile", "MemoryMappedFile", "File createOnDemand='true'",
        "File bufferedIo='false' bufferSize='0' locking='true'", "File immediateFlush='false' bufferSize='64'",
        "MemoryMappedFile regionLength='256'"})
    void filesOpenAndAreClosed(String element) throws Exception {
        String name = element.split(" ", 2)[0];
        String appender = "<" + element + " name='app' fileName='FOLDER/app.log'>"
                + layout("header='HEADER%n' footer='FOOTER%n'") + "</" + name + ">";
        Path file = folder.resolve("app.log");
        try (Running log = Running.of(folder, configuration(appender))) {
            log(log, 0, 100);
        }
        // Log4j writes no header to files of random access.
        String header = name.equals("File") ? "HEADER\n" : "";
        assertEquals(header + messages(0, 100) + "FOOTER\n", program.open(file));
        program.verify(file);

        try (Running log = Running.of(folder, configuration(appender))) {
            log(log, 100, 200);
            assertEquals("", log.complaints());
        }
        assertEquals(header + messages(0, 100) + "FOOTER\n" + messages(100, 200) + "FOOTER\n", program.open(file));
        assertTrue(program.verify(file).contains("2 sessions, 200 values"), program.verify(file));
    }

    @ParameterizedTest
    @ValueSource(strings = {"File", "RandomAccessFile", "MemoryMappedFile", "File createOnDemand='true'",
        "RollingFile filePattern='FOLDER/app.log.%i'", "RollingRandomAccessFile filePattern='FOLDER/app.log.%i'"})
    void aLineThatACrashCutOffTakesNoneOfOursWithIt(String element) throws Exception {
        String name = element.split(" ", 2)[0];
        String policy = name.startsWith("Rolling") ? "<SizeBasedTriggeringPolicy size='1 MB'/>" : "";
        String appender = "<" + element + " name='app' fileName='FOLDER/app.log'>" + layout("") + policy
                + "</" + name + ">";
        String cut = "INFO ~s1a~message~7gQ2mJ0cXbVt";
        Path file = Files.writeString(folder.resolve("app.log"), cut);
        try (Running log = Running.of(folder, configuration(appender))) {
            log(log, 0, 2);
            assertEquals("", log.complaints());
        }
        assertEquals(cut + "\n" + messages(0, 2), program.open(file));
        program.verify(file);
    }

    @Test
    void theConsoleIsClosedToo() throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        System.setOut(new PrintStream(out, true, UTF_8));
        try (Running log = Running.of(folder, configuration("<Console name='app'>" + layout("") + "</Console>"))) {
            log(log, 0, 10);
        } finally {
            System.setOut(before);
        }
        Path file = Files.write(folder.resolve("console"), out.toByteArray());
        assertFalse(Program.text(file).contains("message 1"), Program.text(file));
        assertEquals(messages(0, 10), program.open(file));
        program.verify(file);
    }

    @Test
    void longRecordsAndOtherCharacterSets() throws Exception {
        String longest = "ä\ud83d\ude00".repeat(60_000);
        String appender = "<File name='app' fileName='FOLDER/app.log'><SealedLayout>"
                + "<PatternLayout pattern='%m %sealed{%m}{message}%n' charset='ISO-8859-1'/></SealedLayout></File>";
        try (Running log = Running.of(folder, configuration(appender))) {
            log.logger().info(longest);
            log.logger().info("ä");
        }
        // The value is UTF-8, whatever is around it.
        String expected = longest.replace("\ud83d\ude00", "?") + " ";
        Path file = folder.resolve("app.log");
        List<String> lines = Files.readAllLines(file, java.nio.charset.StandardCharsets.ISO_8859_1);
        assertTrue(lines.get(1).startsWith(expected + "~s1a~message~"), "the record is cut");
        program.verify(file);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aConfigurationThatIsReadAgainGoesOnInTheSameFile(boolean loggedBefore) throws Exception {
        String appender = "<RollingFile name='app' fileName='FOLDER/app.log' filePattern='FOLDER/app.log.%i'>"
                + layout("") + "<SizeBasedTriggeringPolicy size='20 KB'/>"
                + "<DefaultRolloverStrategy max='1000' fileIndex='nomax'/></RollingFile>";
        int first = loggedBefore ? 10 : 0;
        try (Running log = Running.of(folder, configuration(appender))) {
            log(log, 0, first);
            log.reconfigure(configuration(appender));
            log(log, first, 1000);
            assertEquals("", log.complaints());
        }
        List<Path> files = Running.files(folder, "app.log.");
        assertTrue(files.size() > 2, files.toString());
        StringBuilder opened = new StringBuilder();
        for (Path file : files) {
            opened.append(program.open(file));
            program.verify(file);
        }
        opened.append(program.open(folder.resolve("app.log")));
        program.verify(folder.resolve("app.log"));
        assertEquals(messages(0, 1000), opened.toString());
    }

    @Test
    void aFileAfterAReloadIsClosedByTheLayoutBefore() throws Exception {
        String appender = "<File name='app' fileName='FOLDER/app.log'>" + layout("") + "</File>";
        try (Running log = Running.of(folder, configuration(appender))) {
            log.reconfigure(configuration(appender));
            log(log, 0, 10);
        }
        assertEquals(messages(0, 10), program.open(folder.resolve("app.log")));
        program.verify(folder.resolve("app.log"));
    }

    /** Else one who logs under a lock of the application, and one whose parameter wants it, would wait for ever. */
    @Test
    @Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
    void parametersAreFormattedWhileOthersLog() throws Exception {
        CountDownLatch formatting = new CountDownLatch(1);
        CountDownLatch logged = new CountDownLatch(1);
        Object parameter = new Object() {
            @Override
            public String toString() {
                formatting.countDown();
                try {
                    return "waited: " + logged.await(30, TimeUnit.SECONDS);
                } catch (InterruptedException error) {
                    throw new IllegalStateException(error);
                }
            }
        };
        String appender = "<File name='app' fileName='FOLDER/app.log'>" + layout("") + "</File>";
        try (Running log = Running.of(folder, configuration(appender))) {
            // Loggers of web applications make messages like this: no layout has asked for its text yet.
            LogEvent event = Log4jLogEvent.newBuilder().setLoggerName("app").setLevel(Level.INFO)
                    .setMessage(new ParameterizedMessage("{}", parameter)).build();
            Thread waiting = new Thread(() -> log.logger().get().log(event));
            waiting.start();
            assertTrue(formatting.await(30, TimeUnit.SECONDS));
            log(log, 0, 1);
            logged.countDown();
            waiting.join();
        }
        assertEquals("INFO message 0\nINFO waited: true\n", program.open(folder.resolve("app.log")));
    }

    /** One thread logs under a lock of the application's, the other logs what needs that lock: neither hangs. */
    @ParameterizedTest
    @ValueSource(strings = {"File", "RollingFile"})
    @Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
    void layoutsMayWaitForWhoLogs(String element) throws Exception {
        Object lock = new Object();
        CountDownLatch locked = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        Exception error = new Exception() {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                asked.countDown();
                synchronized (lock) {
                    return "secret";
                }
            }
        };
        String rolls = element.equals("File") ? "" : " filePattern='FOLDER/app.log.%i'";
        String policy = element.equals("File") ? "" : "<SizeBasedTriggeringPolicy size='1'/>";
        String appender = "<" + element + " name='app' fileName='FOLDER/app.log'" + rolls + "><SealedLayout>"
                + "<PatternLayout pattern='%m %sealedEx{short.message}%n'/></SealedLayout>" + policy + "</" + element + ">";
        try (Running log = Running.of(folder, configuration(appender))) {
            log(log, 0, 1);
            Thread holder = daemon(() -> {
                synchronized (lock) {
                    locked.countDown();
                    await(asked);
                    log(log, 1, 2);
                }
            });
            await(locked);
            Thread asker = daemon(() -> log.logger().error("boom", error));
            for (Thread one : List.of(holder, asker)) {
                one.join(TimeUnit.SECONDS.toMillis(30));
                assertFalse(one.isAlive(), "one waits for the other");
            }
        }
        StringBuilder opened = new StringBuilder();
        for (Path file : Running.files(folder, "app.log")) {
            opened.append(program.open(file));
        }
        assertTrue(opened.toString().contains("boom secret"), opened.toString());
        assertTrue(opened.toString().contains("message 1 "), opened.toString());
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    @Test
    void directWriteRollsOver() throws Exception {
        String appender = "<RollingFile name='app' filePattern='FOLDER/app.%i.log'>" + layout("")
                + "<SizeBasedTriggeringPolicy size='20 KB'/><DirectWriteRolloverStrategy/></RollingFile>";
        try (Running log = Running.of(folder, configuration(appender))) {
            log(log, 0, 1000);
            assertEquals("", log.complaints());
        }
        List<Path> files = Running.files(folder, "app.");
        assertTrue(files.size() > 2, files.toString());
        StringBuilder opened = new StringBuilder();
        for (Path file : files) {
            opened.append(program.open(file));
            program.verify(file);
        }
        assertEquals(messages(0, 1000), opened.toString());
    }

    /** Log4j has a buffer of its own, and finds out behind the layout that the disk is full. */
    @Test
    void aHeaderThatWasNotWrittenIsWrittenAgain() throws Exception {
        String configuration = "<Sealer recipient='" + program.recipient + "'/><Appenders><File name='app'"
                + " fileName='FOLDER/pipe'><SealedLayout><PatternLayout pattern='%m%n'/></SealedLayout></File></Appenders>"
                + "<Loggers><Root level='info'><AppenderRef ref='app'/></Root></Loggers>";
        try (Pipe pipe = new Pipe(folder.resolve("pipe")); Running log = Running.of(folder, configuration)) {
            pipe.breakIt();
            log.logger().info("{}", Sealed.of("email", "one"));
            pipe.mend();
            log.logger().info("{}", Sealed.of("email", "two"));
            Path written = Files.write(folder.resolve("written.log"), pipe.written());
            assertEquals("two\n", program.open(written));
        }
    }

    /** Out of stack or memory, for instance. */
    @Test
    void aHeaderThatAnErrorKeptFromTheLogIsWrittenAgain() throws Exception {
        String configuration = "<Sealer recipient='" + program.recipient + "'/><Appenders><Console name='app' follow='true'>"
                + "<SealedLayout><PatternLayout pattern='%m%n'/></SealedLayout></Console></Appenders>"
                + "<Loggers><Root level='info'><AppenderRef ref='app'/></Root></Loggers>";
        ByteArrayOutputStream console = new ByteArrayOutputStream();
        PrintStream before = System.out;
        try (Running log = Running.of(folder, configuration)) {
            System.setOut(Sink.failing(new OutOfMemoryError("none")));
            log.logger().info("{}", Sealed.of("email", "one"));
            System.setOut(new PrintStream(console, true, UTF_8));
            log.logger().info("{}", Sealed.of("email", "two"));
        } finally {
            System.setOut(before);
        }
        assertEquals("two\n", program.open(Files.write(folder.resolve("console.log"), console.toByteArray())));
    }
}
