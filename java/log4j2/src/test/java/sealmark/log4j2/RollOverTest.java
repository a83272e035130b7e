package sealmark.log4j2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.logging.log4j.Logger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.Sealed;
import sealmark.testing.RepeatedHeaders;

/** Many threads log while files roll over: each file opens and verifies alone, and nothing is lost. */
class RollOverTest {
    private static final int THREADS = 16;
    private static final int EACH = 400;

    @TempDir
    static Path keys;

    private static Program program;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeKey() throws Exception {
        program = new Program(keys);
    }

    private static String configuration(String appender, String pattern, String more, String loggers) {
        return """
                <Sealer recipient="%s"/>
                <Appenders>
                  <%s name="sealed" fileName="FOLDER/app.log" filePattern="FOLDER/app.log.%%i" immediateFlush="false">
                    <SealedLayout><PatternLayout pattern="%s"/></SealedLayout>
                    <SizeBasedTriggeringPolicy size="64 KB"/>
                    <DefaultRolloverStrategy max="1000" fileIndex="nomax"/>
                  </%s>
                  %s
                </Appenders>
                <Loggers>%s</Loggers>
                """.formatted(program.recipient, appender, pattern, appender, more, loggers);
    }

    private static final String PATTERN = "%t %sealed{%m}{message} %sealedEx{short.message}%n";
    private static final String ROOT = "<Root level=\"info\"><AppenderRef ref=\"sealed\"/></Root>";

    /** Logs from all threads at once and waits for them. */
    private static void load(ExecutorService threads, Logger logger) throws Exception {
        List<Future<?>> all = new ArrayList<>();
        for (int one = 0; one < THREADS; one++) {
            int thread = one;
            all.add(threads.submit(() -> IntStream.range(0, EACH).forEach(
                    at -> logger.info("secret {}", thread * EACH + at, new Exception("secret too " + thread)))));
        }
        for (Future<?> one : all) {
            one.get(120, TimeUnit.SECONDS);
        }
        threads.shutdown();
    }

    private static List<String> expected() {
        return IntStream.range(0, THREADS * EACH)
                .mapToObj(at -> "secret " + at + " secret too " + at / EACH).sorted().toList();
    }

    /** logrotate's copytruncate takes the header with it. */
    @Test
    void aFileThatWasEmptiedOpensAlone() throws Exception {
        Path file = folder.resolve("app.log");
        String configuration = configuration("RollingFile", "%sealed{%m}{message}%n", "", ROOT)
                .replace("immediateFlush=\"false\"", "");
        try (Running log = Running.of(folder, configuration)) {
            RepeatedHeaders.of(() -> {
                log.logger().info("one");
                return null;
            });
            Files.write(file, new byte[0]);
            log.logger().info("two");
        }
        assertEquals("two\n", program.open(file));
    }

    private void assertEachFileStandsAlone() throws Exception {
        List<Path> files = Running.files(folder, "app.log");
        assertTrue(files.size() > 5, files.toString());
        List<String> lines = new ArrayList<>();
        for (Path file : files) {
            assertFalse(Program.text(file).contains("secret"), file.toString());
            program.open(file).lines().forEach(line -> lines.add(line.substring(line.indexOf("secret"))));
            program.verify(file);
        }
        assertEquals(expected(), lines.stream().sorted().toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"RollingFile", "RollingRandomAccessFile"})
    void synchronousLoggers(String appender) throws Exception {
        try (Running log = Running.of(folder, configuration(appender, PATTERN, "", ROOT))) {
            load(Executors.newFixedThreadPool(THREADS), log.logger());
            assertEquals("", log.complaints());
        }
        assertEachFileStandsAlone();
    }

    @Test
    void virtualThreads() throws Exception {
        ExecutorService threads;
        try {
            threads = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException none) {
            Assumptions.abort("no virtual threads before JDK 21");
            return;
        }
        try (Running log = Running.of(folder, configuration("RollingFile", PATTERN, "", ROOT))) {
            load(threads, log.logger());
            assertEquals("", log.complaints());
        }
        assertEachFileStandsAlone();
    }

    @Test
    void sessionsEndByTimeMeanwhile() throws Exception {
        String brief = configuration("RollingFile", PATTERN, "", ROOT).replace("<Sealer ", "<Sealer rotateAfter='PT0.02S' ");
        try (Running log = Running.of(folder, brief)) {
            load(Executors.newFixedThreadPool(THREADS), log.logger());
            assertEquals("", log.complaints());
        }
        assertEachFileStandsAlone();
    }

    @Test
    void asynchronousContext() throws Exception {
        try (Running log = Running.asynchronous(folder, configuration("RollingFile", PATTERN, "", ROOT))) {
            load(Executors.newFixedThreadPool(THREADS), log.logger());
            assertEquals("", log.complaints());
        }
        assertEachFileStandsAlone();
    }

    @Test
    void asynchronousLogger() throws Exception {
        String root = "<AsyncRoot level=\"info\"><AppenderRef ref=\"sealed\"/></AsyncRoot>";
        try (Running log = Running.of(folder, configuration("RollingRandomAccessFile", PATTERN, "", root))) {
            load(Executors.newFixedThreadPool(THREADS), log.logger());
            assertEquals("", log.complaints());
        }
        assertEachFileStandsAlone();
    }

    @Test
    void asynchronousAppender() throws Exception {
        String more = "<Async name=\"async\" bufferSize=\"256\"><AppenderRef ref=\"sealed\"/></Async>";
        String root = "<Root level=\"info\"><AppenderRef ref=\"async\"/></Root>";
        try (Running log = Running.of(folder, configuration("RollingFile", PATTERN, more, root))) {
            load(Executors.newFixedThreadPool(THREADS), log.logger());
            assertEquals("", log.complaints());
        }
        assertEachFileStandsAlone();
    }

    /** Their tokens are made before the file is known: some come after it was rolled over. */
    @Test
    void sealedParametersVerifyOverAllFiles() throws Exception {
        try (Running log = Running.of(folder, configuration("RollingFile", "%m%n", "", ROOT))) {
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<Future<?>> all = new ArrayList<>();
            for (int one = 0; one < THREADS; one++) {
                int thread = one;
                all.add(threads.submit(() -> IntStream.range(0, EACH).forEach(
                        at -> log.logger().info("of {}", Sealed.of("value", "secret " + (thread * EACH + at))))));
            }
            for (Future<?> one : all) {
                one.get(120, TimeUnit.SECONDS);
            }
            threads.shutdown();
            assertEquals("", log.complaints());
        }
        List<Path> files = Running.files(folder, "app.log");
        // The one that is written to is the newest.
        files = new ArrayList<>(files);
        files.add(files.remove(0));
        assertTrue(files.size() > 5, files.toString());
        List<String> opened = new ArrayList<>();
        for (Path file : files) {
            program.open(file).lines().forEach(opened::add);
        }
        assertEquals(
                IntStream.range(0, THREADS * EACH).mapToObj(at -> "of secret " + at).sorted().toList(),
                opened.stream().sorted().toList());
        program.verify(files);
    }

    @Test
    void whatWasRolledOverIsPacked() throws Exception {
        String packed = configuration("RollingFile", PATTERN, "", ROOT).replace("%i\"", "%i.gz\"");
        try (Running log = Running.of(folder, packed)) {
            load(Executors.newFixedThreadPool(THREADS), log.logger());
        }
        List<Path> files = Running.files(folder, "app.log.");
        assertTrue(files.size() > 5, files.toString());
        for (Path file : files) {
            assertEquals(0x1f, Files.readAllBytes(file)[0]);
            program.verify(file);
        }
    }
}
