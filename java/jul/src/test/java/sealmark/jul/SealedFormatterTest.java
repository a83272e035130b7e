package sealmark.jul;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.FileHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.LogSealer;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.testing.Canary;
import sealmark.testing.LogProgram;
import sealmark.testing.RepeatedHeaders;
import sealmark.testing.StandardError;

/** Files of java.util.logging's own handlers, opened by the program, are those of the formatter inside. */
class SealedFormatterTest {
    private static final int THREADS = 4;
    private static final int RECORDS = 500;
    /** From Java 25 on handlers format before they take their lock (JDK-8349206). */
    private static final boolean IS_WRITTEN_UNDER_LOCK = Runtime.version().feature() < 25;

    @TempDir
    Path folder;

    private final Logger logger = Logger.getLogger("shop");
    private LogProgram program;
    private Path sealed;
    private Path plain;

    @BeforeEach
    void makeKeys() throws Exception {
        program = new LogProgram(folder);
        sealed = Files.createDirectory(folder.resolve("logs")).resolve("sealed.log");
        plain = folder.resolve("plain.log");
        logger.setUseParentHandlers(false);
        logger.setLevel(Level.ALL);
        Sealers.install(Sealers.DEFAULT, LogSealer.builder().recipientsFile(program.recipients).build());
    }

    @AfterEach
    void end() {
        for (Handler handler : logger.getHandlers()) {
            logger.removeHandler(handler);
            handler.close();
        }
        Sealers.remove(Sealers.DEFAULT);
    }

    /** The lines are those of docs/java.md. */
    @Test
    void aConfigurationSealsWithoutCode() throws Exception {
        Logger root = Logger.getLogger("");
        try {
            LogManager.getLogManager().readConfiguration(new ByteArrayInputStream("""
                    handlers=java.util.logging.FileHandler
                    java.util.logging.FileHandler.pattern=FOLDER/logs/sealed.log
                    java.util.logging.FileHandler.encoding=UTF-8
                    java.util.logging.FileHandler.formatter=sealmark.jul.SealedFormatter
                    sealmark.jul.SealedFormatter.recipientsFile=FOLDER/ops.pub
                    sealmark.jul.SealedFormatter.sealer=configured
                    """.replace("FOLDER", folder.toString()).getBytes(ISO_8859_1)));
            Logger.getLogger("configured").log(Level.WARNING, "login of {0}, {1}",
                    new Object[] {Sealed.of("user", Canary.MARK).by("configured"), 7});
            Logger.getLogger("configured").log(Level.SEVERE, "failed", new IllegalStateException(Canary.MARK));
        } finally {
            LogManager.getLogManager().readConfiguration(new ByteArrayInputStream(new byte[0]));
            Sealers.remove("configured");
        }
        assertEquals(0, root.getHandlers().length);
        Canary.assertNoneIn(sealed.getParent());
        String opened = program.openText(sealed);
        assertTrue(opened.contains("WARNING: login of " + Canary.MARK + ", 7\n"), opened);
        assertTrue(opened.contains("\njava.lang.IllegalStateException: " + Canary.MARK + "\n\tat sealmark.jul."), opened);
        program.verifyClosed(sealed);
    }

    /** Among its values are those at which a formatter could go on for ever. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void recordsOpenToTheTwin() throws Exception {
        attach(new FileHandler(plain.toString()), new SimpleFormatter());
        attach(new FileHandler(sealed.toString()), new SealedFormatter(new SimpleFormatter()).set("seal", "parameters"));
        logger.log(Level.INFO, "'{0}' of {0} for {1}: {2,number,#.##} {1,number} {3,date,yyyy}{0} it''s {4}",
                new Object[] {Canary.MARK, 12345.6, 1234.567, 1_700_000_000_000L, null});
        logger.log(Level.INFO, "no place for it", Canary.MARK);
        logger.log(Level.INFO, "{0", Canary.MARK);
        logger.log(Level.INFO, "wrong {0,number}", Canary.MARK);
        logger.info("{0} without parameters");
        // CharacterIterator.DONE is the same character.
        logger.log(Level.INFO, "\uffff{0}\uffff{1}{2}\uffff", new Object[] {Canary.MARK + "\uffff", "\uffff\uffff", 5});
        logger.log(Level.INFO, "of {0} and {1}", new Object[] {Canary.MARK, new Object() {
            @Override
            public String toString() {
                throw new NullPointerException(Canary.MARK);
            }
        }});
        logger.log(Level.FINE, null, new Own(Canary.MARK, failed("a", failed("b", null))));
        logger.log(Level.FINE, "of null", new IllegalStateException());
        logger.logp(Level.CONFIG, "Class", "method", "said {0}", Canary.value());
        end();
        Canary.assertNoneIn(sealed.getParent());
        assertTrue(Files.readString(plain).contains(Canary.MARK));
        assertEquals(Files.readString(plain), program.openText(sealed));
        program.verifyClosed(sealed);
    }

    @Test
    void anExceptionThatIsItsOwnCauseIsWritten() throws Exception {
        attach(new FileHandler(sealed.toString()), new SealedFormatter(new SimpleFormatter()));
        logger.log(Level.FINE, "its own cause", new Circular(Canary.MARK));
        end();
        Canary.assertNoneIn(sealed.getParent());
        String opened = program.openText(sealed);
        assertTrue(opened.contains("its own cause\n") && opened.contains("$Circular: " + Canary.MARK + "\n\tat "), opened);
        program.verifyClosed(sealed);
    }

    @Test
    void wholeMessagesAreSealedAndExceptionsStayInClearIfThatIsChosen() throws Exception {
        attach(new FileHandler(plain.toString()), new SimpleFormatter());
        attach(new FileHandler(sealed.toString()),
                new SealedFormatter(new SimpleFormatter()).set("seal", "message").set("clear", "exceptions"));
        logger.log(Level.INFO, "of {0}", Canary.MARK);
        logger.log(Level.INFO, "joined " + Canary.MARK, new IllegalStateException("clear"));
        end();
        Canary.assertNoneIn(sealed.getParent());
        assertTrue(Files.readString(sealed).contains("IllegalStateException: clear\n"));
        assertEquals(Files.readString(plain), program.openText(sealed));
    }

    @Test
    void theNextFileStandsAlone() throws Exception {
        attach(new FileHandler(sealed + ".%g", 1500, 30, false), new SealedFormatter(new SimpleFormatter()));
        for (int at = 0; at < 40; at++) {
            logger.log(Level.INFO, "of {0}", Sealed.of("user", Canary.MARK + at));
        }
        end();
        Canary.assertNoneIn(sealed.getParent());
        StringBuilder all = new StringBuilder();
        List<Path> written = new ArrayList<>();
        for (int at = 29; at >= 0; at--) {
            Path file = Path.of(sealed + "." + at);
            if (Files.exists(file)) {
                all.append(program.openText(file));
                written.add(file);
            }
        }
        assertTrue(written.size() > 2, written::toString);
        if (IS_WRITTEN_UNDER_LOCK) {
            for (Path file : written) {
                program.verifyClosed(file);
            }
        }
        program.verifyClosed(written.toArray(Path[]::new));
        for (int at = 0; at < 40; at++) {
            assertTrue(all.toString().contains("of " + Canary.MARK + at + "\n"), all.toString());
        }
    }

    @Test
    void manyThreadsLogAtOnce() throws Exception {
        attach(new FileHandler(sealed.toString()), new SealedFormatter(new Line()));
        crowd(THREADS, RECORDS, text -> logger.log(Level.INFO, "{0}", Sealed.of("user", text)));
        end();
        Canary.assertNoneIn(sealed.getParent());
        assertEquals(crowdLines(THREADS, RECORDS), program.openText(sealed).lines().sorted().toList());
        program.verifyClosed(sealed);
        long headers = Files.readAllLines(sealed).stream().filter(line -> line.contains("~1.1~")).count();
        assertTrue(headers >= 1 && headers <= (IS_WRITTEN_UNDER_LOCK ? 1 : THREADS), headers + " headers");
    }

    /** A line may be formatted before its file is closed, and written after that, to the next. */
    @RepeatedTest(4)
    void eachFileOfARotatedLogCanBeOpenedAlone() throws Exception {
        attach(new FileHandler(sealed + ".%g", 30_000, 40, false), new SealedFormatter(new Line()));
        crowd(THREADS, RECORDS, text -> logger.log(Level.INFO, "{0}", Sealed.of("user", text)));
        end();
        Canary.assertNoneIn(sealed.getParent());
        List<Path> files = new ArrayList<>();
        List<String> opened = new ArrayList<>();
        for (int at = 39; at >= 0; at--) {
            Path file = Path.of(sealed + "." + at);
            if (Files.exists(file)) {
                files.add(file);
                opened.addAll(program.openText(file).lines().toList());
            }
        }
        assertTrue(files.size() > 2, files::toString);
        List<String> logged = crowdLines(THREADS, RECORDS);
        if (IS_WRITTEN_UNDER_LOCK) {
            assertEquals(logged, opened.stream().sorted().toList());
            program.verifyClosed(files.toArray(Path[]::new));
        } else {
            // This FileHandler loses whole files, with any formatter, if threads fill one at once. All that it keeps opens.
            assertEquals(opened.size(), Set.copyOf(opened).size());
            assertTrue(logged.containsAll(opened), () -> opened.stream().filter(line -> !logged.contains(line)).toList().toString());
        }
    }

    /** A tool that empties the file takes the header with it. */
    @Test
    void aHeaderComesAgainWithTheNextValue() throws Exception {
        SealedFormatter formatter = new SealedFormatter(new Line());
        String first = RepeatedHeaders.of(() -> formatter.format(record("first")));
        String clear = formatter.format(new LogRecord(Level.INFO, "clear"));
        String second = formatter.format(record("second"));
        assertEquals("clear\n", clear);
        String tail = formatter.getTail(null);
        Files.writeString(sealed, second);
        assertEquals("second\n", program.openText(sealed));
        Files.writeString(sealed, first + clear + second + tail);
        assertEquals("first\nclear\nsecond\n", program.openText(sealed));
        program.verifyClosed(sealed);
        SealedFormatter usual = new SealedFormatter(new Line());
        usual.format(record("first"));
        assertEquals(1, usual.format(record("second")).lines().count(), "no header after a moment");
    }

    /** It is logged while the sealer is made, on behalf of the first record. */
    @Test
    void recordsOfSealmarkItselfComeToTheSameHandler() throws Exception {
        Logger own = Logger.getLogger("sealmark.log.LogSealer");
        FileHandler handler = new FileHandler(sealed.toString());
        try {
            own.setUseParentHandlers(false);
            own.setLevel(Level.ALL);
            own.addHandler(handler);
            attach(handler, new SealedFormatter(new Line()).set("recipientsFile", program.recipients.toString()));
            logger.log(Level.INFO, "{0}", Sealed.of("user", Canary.MARK));
            end();
        } finally {
            own.removeHandler(handler);
            own.setLevel(null);
            own.setUseParentHandlers(true);
        }
        Canary.assertNoneIn(sealed.getParent());
        String opened = program.openText(sealed);
        assertTrue(opened.startsWith("sealing log records, engine ") && opened.endsWith("\n" + Canary.MARK + "\n"), opened);
        program.verifyClosed(sealed);
    }

    /** Another thread, with the lock of the handler that a sealer logs to, may begin at the same moment. */
    @Test
    void twoHandlersBeginAtOnce() {
        Logger own = Logger.getLogger("sealmark.log.LogSealer");
        Map<String, String> settings = Map.of("recipientsFile", program.recipients.toString(), "sealer", "twice");
        AtomicBoolean isSecond = new AtomicBoolean();
        CompletableFuture<SealedFormatter> second = new CompletableFuture<>();
        Handler probe = new Handler() {
            @Override
            public void publish(LogRecord record) {
                if (!isSecond.getAndSet(true)) {
                    second.completeAsync(() -> SealedFormatter.seal(new StreamHandler(), settings));
                    assertDoesNotThrow(() -> second.get(20, TimeUnit.SECONDS));
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        try {
            own.setUseParentHandlers(false);
            own.setLevel(Level.ALL);
            own.addHandler(probe);
            SealedFormatter first = SealedFormatter.seal(new StreamHandler(), settings);
            assertTrue(isSecond.get());
            for (SealedFormatter formatter : List.of(first, second.join())) {
                LogRecord record = new LogRecord(Level.INFO, "{0}");
                record.setParameters(new Object[] {Sealed.of("user", Canary.MARK).by("twice")});
                assertTrue(formatter.format(record).startsWith("~s1h~"));
            }
        } finally {
            own.removeHandler(probe);
            own.setLevel(null);
            own.setUseParentHandlers(true);
            Sealers.remove("twice");
        }
    }

    @Test
    void withoutAKeyEachValueIsAMarkerAndTheReasonIsTold() throws Exception {
        Sealers.remove(Sealers.DEFAULT);
        String told = told(() -> attach(new FileHandler(sealed.toString()),
                new SealedFormatter(new Line()).set("recipientsFile", folder.resolve("no.pub").toString())),
                () -> logger.log(Level.INFO, "{0}", Sealed.of("user", Canary.MARK)));
        assertEquals("~s1x~user~\n", Files.readString(sealed));
        assertTrue(told.contains("no.pub\" cannot be read: no such file\nhint: sealmark keygen"), told);
    }

    @Test
    void wrongSettingsAreToldAndSealMore() throws Exception {
        String told = told(() -> attach(new FileHandler(sealed.toString()), new SealedFormatter(new Line())
                .set("seal", "mesage").set("clear", "all").set("shape", "round").set("formatter", "no.Class")),
                () -> logger.log(Level.INFO, Canary.MARK, new IllegalStateException(Canary.MARK)));
        for (String part : List.of("\"mesage\" in seal is unknown, so whole messages are sealed\nhint: message, parameters",
                "\"all\" in clear is unknown, so it has no effect\nhint: exceptions", "\"round\" is not a shape of a line",
                "formatter \"no.Class\" cannot be created")) {
            assertTrue(told.contains(part), told);
        }
        Canary.assertNoneIn(sealed.getParent());
        IllegalArgumentException error = assertThrows(IllegalArgumentException.class,
                () -> new SealedFormatter(new Line()).set("recipientFile", "x"));
        assertTrue(error.getMessage().startsWith("a formatter has no setting \"recipientFile\"\nhint: "), error.getMessage());
    }

    /** Many handlers format without a lock. */
    @Test
    void aLineThatOvertakesTheFirstHasItsHeaderToo() throws Exception {
        SealedFormatter formatter = new SealedFormatter(new Line());
        String first = formatter.format(record("first"));
        String second = CompletableFuture.supplyAsync(() -> formatter.format(record("second"))).get();
        String third = formatter.format(record("third"));
        assertTrue(first.startsWith("~s1h~") && second.startsWith("~s1h~"), second);
        assertEquals(1, third.lines().count(), "this thread has written its first line");
        Files.writeString(sealed, second + first + third + formatter.getTail(null));
        assertEquals("second\nfirst\nthird\n", program.openText(sealed));
        program.verifyClosed(sealed);
    }

    private static LogRecord record(String value) {
        LogRecord record = new LogRecord(Level.INFO, "{0}");
        record.setParameters(new Object[] {Sealed.of("user", value)});
        return record;
    }

    @Test
    void withoutItsKeyFileNothingIsInTheClear() {
        Handler handler = new StreamHandler();
        SealedFormatter.seal(handler, Map.of("recipientsFile", "recipients.txt", "seal", "parameters"));
        String line = handler.getFormatter().format(record(Canary.MARK));
        assertFalse(line.contains(Canary.MARK), line);
    }

    @Test
    void aHandlerIsSealedOnceAndSettingsComeBeforeRecords() throws Exception {
        FileHandler handler = new FileHandler(sealed.toString());
        attach(handler, new Line());
        SealedFormatter formatter = SealedFormatter.seal(handler, Map.of("seal", "message"));
        assertSame(formatter, SealedFormatter.seal(handler, Map.of("seal", "message")));
        assertThrows(IllegalStateException.class, () -> SealedFormatter.seal(handler, Map.of()));
        assertThrows(IllegalStateException.class, () -> formatter.set("seal", null));
        logger.info(Canary.MARK);
        SealedFormatter byHand = new SealedFormatter(new Line());
        byHand.format(record("first"));
        assertThrows(IllegalStateException.class, () -> byHand.set("seal", null));
        end();
        Canary.assertNoneIn(sealed.getParent());
        assertEquals(Canary.MARK + "\n", program.openText(sealed));
    }

    /** A toString or a formatter that fails must show nothing of a value. */
    @Test
    void aFailureTellsNothingOfAValue() throws Exception {
        String told = told(() -> attach(new FileHandler(sealed.toString()), new SealedFormatter(new Formatter() {
            @Override
            public String format(LogRecord record) {
                throw new IllegalStateException(Canary.MARK);
            }
        })), () -> logger.log(Level.INFO, "of {0}", Canary.MARK));
        assertTrue(told.contains("a record was not formatted: java.lang.IllegalStateException"), told);
        Canary.assertNone("standard error", told.getBytes(UTF_8));
        assertEquals("", Files.readString(sealed));
    }

    private interface Work {
        void run() throws Exception;
    }

    private String told(Work... works) throws Exception {
        try (StandardError console = new StandardError()) {
            for (Work work : works) {
                work.run();
            }
            end();
            return console.text();
        }
    }

    private void attach(Handler handler, Formatter formatter) throws IOException {
        handler.setEncoding("UTF-8");
        handler.setLevel(Level.ALL);
        handler.setFormatter(formatter);
        logger.addHandler(handler);
    }

    private static Exception failed(String text, Throwable cause) {
        Exception failed = new IllegalArgumentException(text + Canary.MARK, cause);
        failed.addSuppressed(new IOException("suppressed " + Canary.value()));
        return failed;
    }

    interface Said {
        void log(String text);
    }

    static void crowd(int threads, int records, Said said) throws InterruptedException {
        ExecutorService crowd = Executors.newFixedThreadPool(threads);
        for (int thread = 0; thread < threads; thread++) {
            String name = Canary.MARK + thread + "-";
            crowd.execute(() -> {
                for (int at = 0; at < records; at++) {
                    said.log(name + at);
                }
            });
        }
        crowd.shutdown();
        assertTrue(crowd.awaitTermination(1, TimeUnit.MINUTES));
    }

    static List<String> crowdLines(int threads, int records) {
        List<String> lines = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            for (int at = 0; at < records; at++) {
                lines.add(Canary.MARK + thread + "-" + at);
            }
        }
        return lines.stream().sorted().toList();
    }

    /** Writes the message alone. */
    static final class Line extends Formatter {
        @Override
        public String format(LogRecord record) {
            return formatMessage(record) + "\n";
        }
    }

    private static final class Circular extends Exception {
        private static final long serialVersionUID = 1;

        Circular(String message) {
            super(message);
        }

        @Override
        public synchronized Throwable getCause() {
            return this;
        }
    }

    /** Its text does not begin with its class. */
    @SuppressWarnings("OverrideThrowableToString")
    private static final class Own extends Exception {
        private static final long serialVersionUID = 1;

        Own(String message, Throwable cause) {
            super(message, cause);
        }

        @Override
        public String toString() {
            return "own text " + getMessage();
        }
    }
}
