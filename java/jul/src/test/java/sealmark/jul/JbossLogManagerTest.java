package sealmark.jul;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Stream;
import org.jboss.logmanager.ExtHandler;
import org.jboss.logmanager.ExtLogRecord.FormatStyle;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.LogContext;
import org.jboss.logmanager.Logger;
import org.jboss.logmanager.MDC;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jboss.logmanager.handlers.FileHandler;
import org.jboss.logmanager.handlers.SizeRotatingFileHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.LogSealer;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.testing.Canary;
import sealmark.testing.LogProgram;

/** Files of JBoss LogManager's own handlers, which format without a lock. */
class JbossLogManagerTest {
    private static final int THREADS = 8;
    private static final int RECORDS = 500;
    private static final String PATTERN = "%d %-5p [%c] (%t) %C %X{user} %s%e%n";

    @TempDir
    Path folder;

    private final Logger logger = LogContext.create().getLogger("shop");
    private final List<ExtHandler> handlers = new ArrayList<>();
    private LogProgram program;
    private Path sealed;
    private Path plain;

    @BeforeEach
    void makeKeys() throws Exception {
        program = new LogProgram(folder);
        sealed = Files.createDirectory(folder.resolve("logs")).resolve("sealed.log");
        plain = folder.resolve("plain.log");
        logger.setLevel(Level.ALL);
        Sealers.install(Sealers.DEFAULT, LogSealer.builder().recipientsFile(program.recipients).build());
    }

    @AfterEach
    void end() {
        handlers.forEach(handler -> {
            logger.removeHandler(handler);
            handler.close();
        });
        handlers.clear();
        Sealers.remove(Sealers.DEFAULT);
    }

    @Test
    void recordsOpenToTheTwin() throws Exception {
        attach(new FileHandler(new PatternFormatter(PATTERN), plain.toFile()));
        SealedFormatter.seal(attach(new FileHandler(new PatternFormatter(PATTERN), sealed.toFile())),
                Map.of("seal", "parameters"));
        MDC.put("user", "7");
        for (FormatStyle style : FormatStyle.values()) {
            ExtLogRecord record = new ExtLogRecord(Level.INFO, "{0} or %s", style, JbossLogManagerTest.class.getName());
            record.setParameters(new Object[] {Canary.MARK});
            record.setThrown(new IllegalStateException(Canary.MARK, new IllegalArgumentException(Canary.value())));
            logger.logRaw(record);
        }
        // The log manager wraps a record of java.util.logging.
        LogRecord wrapped = new LogRecord(Level.INFO, "wrapped {0}");
        wrapped.setSourceClassName("Caller");
        wrapped.setParameters(new Object[] {Canary.MARK});
        logger.log(wrapped);
        logger.info("no parameters");
        MDC.remove("user");
        end();
        Canary.assertNoneIn(sealed.getParent());
        String expected = Files.readString(plain);
        assertTrue(expected.contains(Canary.MARK + " or %s") && expected.contains("{0} or " + Canary.MARK), expected);
        assertEquals(expected, program.openText(sealed));
        program.verifyClosed(sealed);
    }

    /** A record keeps its formatted message: tokens of the first log must not be in the second. */
    @Test
    void twoLogsOfOneSealerAreVerifiedAlone() throws Exception {
        Path other = sealed.resolveSibling("other.log");
        for (Path file : List.of(sealed, other)) {
            SealedFormatter.seal(attach(new FileHandler(new PatternFormatter("%s%n"), file.toFile())), Map.of());
        }
        logger.log(Level.INFO, "of {0}", Sealed.of("user", Canary.MARK));
        end();
        for (Path file : List.of(sealed, other)) {
            assertEquals("of " + Canary.MARK + "\n", program.openText(file));
            program.verifyClosed(file);
        }
    }

    @Test
    void manyThreadsLogAtOnce() throws Exception {
        Formatter slow = new PatternFormatter("%s%n");
        SealedFormatter.seal(attach(new FileHandler(slow, sealed.toFile())), Map.of());
        SealedFormatterTest.crowd(THREADS, RECORDS, text -> logger.log(Level.INFO, "{0}", Sealed.of("user", text)));
        end();
        Canary.assertNoneIn(sealed.getParent());
        assertEquals(SealedFormatterTest.crowdLines(THREADS, RECORDS), program.openText(sealed).lines().sorted().toList());
        program.verifyClosed(sealed);
    }

    /** A line is formatted before its file is closed, and written after that, to the next. */
    @RepeatedTest(4)
    void eachFileOfARotatedLogCanBeOpenedAlone() throws Exception {
        SizeRotatingFileHandler rotating = new SizeRotatingFileHandler(sealed.toFile(), false, 100_000, 20);
        rotating.setFormatter(new PatternFormatter("%s%n"));
        SealedFormatter.seal(attach(rotating), Map.of());
        SealedFormatterTest.crowd(THREADS, RECORDS, text -> logger.log(Level.INFO, "{0}", Sealed.of("user", text)));
        end();
        Canary.assertNoneIn(sealed.getParent());
        List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(sealed.getParent())) {
            all.forEach(files::add);
        }
        assertTrue(files.size() > 3, files::toString);
        List<String> opened = new ArrayList<>();
        for (Path file : files) {
            opened.addAll(program.openText(file).lines().toList());
        }
        assertEquals(SealedFormatterTest.crowdLines(THREADS, RECORDS), opened.stream().sorted().toList());
        program.verifyClosed(files.toArray(Path[]::new));
    }

    private ExtHandler attach(ExtHandler handler) {
        handler.setLevel(Level.ALL);
        logger.addHandler(handler);
        handlers.add(handler);
        return handler;
    }
}
