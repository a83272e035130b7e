package sealmark.tomcat;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.management.ObjectName;
import org.apache.catalina.LifecycleException;
import org.apache.juli.logging.LogFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.LogSealer;
import sealmark.log.SealerSettings;
import sealmark.log.Sealers;
import sealmark.log.Shape;
import sealmark.log.access.AccessLogSealer;
import sealmark.testing.LogProgram;
import sealmark.testing.Pipe;
import sealmark.testing.SeenMarkers;
import sealmark.testing.SettingNames;
import sealmark.testing.StandardError;

/** Tomcat answers, reports the fault and writes no value, whatever is wrong with a valve's attributes. */
class TroubleTest {
    @TempDir
    Path folder;

    private LogProgram program;
    private final List<String> told = new ArrayList<>();
    private final Logger logger = Logger.getLogger(SealedAccessLogValve.class.getName());
    private final Handler listener = new Listener();

    @BeforeEach
    void listen() throws Exception {
        program = new LogProgram(folder);
        logger.addHandler(listener);
    }

    @AfterEach
    void hearNoMore() {
        logger.removeHandler(listener);
        Sealers.remove(Sealers.DEFAULT);
    }

    @Test
    void badKeysAndSettingsGiveMarkers() throws Exception {
        Files.writeString(folder.resolve("bad.pub"), "age1nonsense\n");
        Files.createFile(folder.resolve("empty.pub"));
        assertMarkers("no.pub", valve -> valve.set("recipientsFile", "no.pub"));
        assertMarkers("bad.pub", valve -> valve.set("recipientsFile", "bad.pub"));
        assertMarkers("empty.pub", valve -> valve.set("recipientsFile", "empty.pub"));
        assertMarkers("no.key", valve -> valve.set("preSharedKeyFile", "no.key"));
        assertMarkers("recipient", valve -> valve.set("recipient", "age1nonsense"));
        assertMarkers("no recipient", valve -> valve.set("recipient", " , "));
        assertMarkers("padding \"x\" is not a number", valve -> set(valve).set("padding", "x"));
        assertMarkers("-1", valve -> set(valve).set("padding", "-1"));
        assertMarkers("rotateAfter \"soon\" is not a time", valve -> set(valve).set("rotateAfter", "soon"));
        assertMarkers("the limit of values cannot be 0", valve -> set(valve).set("rotateAfterValues", "0"));
        assertMarkers("PT0S", valve -> set(valve).set("rotateAfter", "PT0S"));
        assertMarkers("engine \"fast\" is not an engine", valve -> set(valve).set("engine", "fast"));
        assertMarkers("UTF-16", valve -> set(valve).setEncoding("UTF-16"));
        assertMarkers("no sealer \"default\"", valve -> { });
        assertMarkers("no sealer \"other\"", valve -> valve.set("sealer", "other"));
    }

    /** Another's sealer has settings of its own. */
    @Test
    void settingsOfNoSealerAreNamed() throws Exception {
        String ignored = "have no effect without recipient, recipientsFile or preSharedKeyFile: padding, rotateAfter,"
                + " rotateAfterValues, sideFile, engine\nhint: ";
        assertMarkers(ignored, valve -> {
            valve.set("padding", "64");
            valve.set("rotateAfter", "PT1H");
            valve.set("rotateAfterValues", "9");
            valve.set("sideFile", "side.log");
            valve.set("engine", "auto");
        });
        Sealers.install(Sealers.DEFAULT, LogSealer.builder().recipient(program.recipient()).build());
        SealedAccessLogValve valve = valve();
        valve.set("padding", "64");
        valve.set("engine", "auto");
        valve.set("engine", null);
        assertTold("have no effect without recipient, recipientsFile or preSharedKeyFile: padding\nhint: ", valve);
        assertTold(null, valve());
        assertTold(null, set(valve()));
    }

    private void assertTold(String message, SealedAccessLogValve valve) throws Exception {
        told.clear();
        try (Server server = new Server(folder, valve)) {
            server.get("/?a=SECRET");
        }
        assertEquals(message != null, told.stream().anyMatch(text -> text.contains("have no effect without")), told::toString);
        assertTrue(message == null || told.stream().anyMatch(text -> text.contains(message)), told::toString);
    }

    /** A side file that cannot be written: nothing is sealed that nobody could open. */
    @Test
    void withoutAHeaderThereAreMarkers() throws Exception {
        assertMarkers(null, valve -> set(valve).set("sideFile", "no/such/folder/side.log"));
    }

    /** A library of another version, or a damaged one. */
    @Test
    void codeThatCannotBeLinkedGivesMarkers() throws Exception {
        for (Throwable error : List.of(new NoSuchMethodError("none"), new ExceptionInInitializerError("none"),
                new UnsupportedOperationException("none"))) {
            assertMarkers("none", set(valve(new SealedAccessLogValve(Shape.PLAIN, new Unlinked(error)))));
        }
    }

    @Test
    void aValveThatDoesNotStartLeavesNoSealer() {
        SealedAccessLogValve valve = set(valve(new SealedAccessLogValve() {
            @Override
            protected synchronized void open() {
                throw new IllegalStateException("no file");
            }
        }));
        assertThrows(LifecycleException.class, () -> new Server(folder, valve));
        assertEquals("none", Sealers.find(Sealers.DEFAULT).engine());
    }

    /** Somebody else's sealer has other readers. */
    @Test
    void badKeysAreNotMadeUpForByAnotherSealer() throws Exception {
        Sealers.install(Sealers.DEFAULT, LogSealer.builder().recipient(program.recipient()).build());
        assertMarkers("no.pub", valve -> valve.set("recipientsFile", "no.pub"));
        assertEquals(0, Sealers.find(Sealers.DEFAULT).sealed());
    }

    @Test
    void aSealerThatIsInstalledLaterIsUsed() throws Exception {
        SealedAccessLogValve valve = valve();
        try (Server server = new Server(folder, valve)) {
            server.get("/?a=SECRET");
            assertTrue(valve.getFailed() > 0);
            Sealers.install(Sealers.DEFAULT, LogSealer.builder().recipient(program.recipient()).build());
            server.get("/?a=SECRET");
            assertEquals(0, valve.getFailed());
        }
        assertEquals("GET /?a=~s1x~a~ HTTP/1.1\nGET /?a=SECRET HTTP/1.1\n",
                program.openText(folder.resolve("access.log")));
        assertEquals(1, Sealers.find(Sealers.DEFAULT).sealed());
    }

    @Test
    void theValvesSealerIsSeenUntilItStops() throws Exception {
        SealedAccessLogValve valve = set(valve());
        valve.set("sealer", "access \"log\"");
        ObjectName name = new ObjectName("sealmark:type=LogSealer,name=" + ObjectName.quote("access \"log\""));
        try (Server server = new Server(folder, valve)) {
            server.get("/?a=SECRET");
            assertEquals(1L, ManagementFactory.getPlatformMBeanServer().getAttribute(name, "Sealed"));
        }
        assertFalse(ManagementFactory.getPlatformMBeanServer().isRegistered(name));
        assertEquals("GET /?a=SECRET HTTP/1.1\n", program.openText(folder.resolve("access.log")));
    }

    /** JMX would keep an application that is undeployed. */
    @Test
    void markersAreSeenOverJmxAsLongAsAValveWritesThem() throws Exception {
        SealedAccessLogValve wrong = valve();
        wrong.set("recipientsFile", "no.pub");
        long before = Sealers.find("nobody").failed();
        try (Server other = new Server(folder, valve())) {
            try (Server server = new Server(folder, wrong)) {
                server.get("/?a=SECRET");
                SeenMarkers.assertThereAre(before + 1);
            }
            other.get("/?a=SECRET");
            SeenMarkers.assertThereAre(before + 2);
        }
        assertFalse(SeenMarkers.areThere());
    }

    @Test
    void twoValvesWithTheSameAttributesDoNotDisturbEachOther() throws Exception {
        SealedAccessLogValve other = set(valve());
        other.setPrefix("other");
        try (Server server = new Server(folder, set(valve()), other)) {
            server.get("/?a=SECRET");
        }
        for (String file : List.of("access.log", "other.log")) {
            assertEquals("GET /?a=SECRET HTTP/1.1\n", program.openText(folder.resolve(file)));
        }
        assertEquals("none", Sealers.find(Sealers.DEFAULT).engine());
    }

    @Test
    void aValveThatIsStartedAgainSealsAgain() throws Exception {
        SealedAccessLogValve valve = set(valve());
        try (Server server = new Server(folder, valve)) {
            server.get("/?a=SECRET0");
            server.restart();
            server.get("/?a=SECRET1");
        }
        assertEquals("GET /?a=SECRET0 HTTP/1.1\nGET /?a=SECRET1 HTTP/1.1\n",
                program.openText(folder.resolve("access.log")));
        assertFalse(program.verify(folder.resolve("access.log")).contains("missing"));
    }

    @Test
    void aWordThatNobodyKnowsSealsAllThatClientsSend() throws Exception {
        SealedAccessLogValve valve = set(valve());
        valve.setPattern("%a \"%u\" %m %r %{X}i %s");
        valve.set("seal", "%{X}j");
        try (Server server = new Server(folder, valve)) {
            server.get("/SECRET", "X-User: SECRET", "X: SECRET");
        }
        String log = Files.readString(folder.resolve("access.log"));
        assertFalse(log.contains("SECRET") || log.contains("GET") || log.contains("127.0.0.1"), log);
        assertTrue(log.contains("~ 200\n"), log);
        assertTrue(told.stream().anyMatch(text -> text.contains("\"%{X}j\"")), told::toString);
    }

    /** A comma is missing; the word is not a header called {@code X}i%{Y}. */
    @Test
    void twoElementsInOneWordSealAllThatClientsSend() throws Exception {
        SealedAccessLogValve valve = set(valve());
        valve.setPattern("%a %{X}i %{Y}i %s");
        valve.set("seal", "%{X}i%{Y}i");
        valve.set("clear", "%i");
        try (Server server = new Server(folder, valve)) {
            server.get("/", "X: SECRET", "Y: SECRET");
        }
        String log = Files.readString(folder.resolve("access.log"));
        assertTrue(log.contains("~s1a~X~") && log.contains("~s1a~Y~") && !log.contains("SECRET"), log);
        assertTrue(told.stream().anyMatch(text -> text.contains("\"%{X}i%{Y}i\" in seal cannot be sealed")), told::toString);
    }

    @Test
    void aNameThatMatchesNothingIsTold() throws Exception {
        SealedAccessLogValve valve = set(valve());
        valve.setPattern("%r %{X-User}i");
        valve.set("names", "emial, Card");
        valve.set("clear", "*, %u");
        valve.set("seal", "%{X-Usr}i %u");
        try (Server server = new Server(folder, valve)) {
            server.get("/?email=CLEAR&card=SECRET");
        }
        assertFalse(Files.readString(folder.resolve("access.log")).contains("SECRET"));
        assertTrue(told.contains("names: \"emial\" matched nothing in any record"
                + "\nhint: write parameters in names exactly as clients send them"), told::toString);
        for (String word : List.of("%{X-Usr}i", "%u")) {
            assertTrue(told.contains("\"" + word + "\" in seal is not in the pattern"
                    + "\nhint: write elements in seal exactly as in the pattern"), told::toString);
        }
        assertTrue(told.contains("\"%u\" in clear is not in the pattern"
                + "\nhint: write elements in clear exactly as in the pattern"), told::toString);
        assertTrue(told.contains("\"%u\" is to be sealed and to stay in the clear, so it is sealed"
                + "\nhint: remove it from clear, or from seal and names"), told::toString);
        assertEquals(5, told.stream().filter(text -> text.contains("matched nothing") || text.contains("is not in the")
                || text.contains("to stay in the clear")).count(), told::toString);
    }

    /** {@code PrintWriter} tells nobody of a disk that is full for a while. */
    @Test
    void aHeaderThatWasNotWrittenIsWrittenAgain() throws Exception {
        SealedAccessLogValve valve = set(valve());
        valve.setBuffered(false);
        try (Pipe pipe = new Pipe(folder.resolve("access.log")); Server server = new Server(folder, valve)) {
            pipe.breakIt();
            server.get("/?a=one");
            pipe.mend();
            server.get("/?a=two");
            server.get("/?a=three");
            Path written = Files.write(folder.resolve("written.log"), pipe.written());
            String opened = program.openText(written);
            assertTrue(opened.endsWith("GET /?a=two HTTP/1.1\nGET /?a=three HTTP/1.1\n"), opened);
        }
    }

    private void assertMarkers(String message, Consumer<SealedAccessLogValve> change) throws Exception {
        SealedAccessLogValve valve = valve();
        change.accept(valve);
        assertMarkers(message, valve);
    }

    private void assertMarkers(String message, SealedAccessLogValve valve) throws Exception {
        told.clear();
        String written;
        try (StandardError console = new StandardError()) {
            try (Server server = new Server(folder, valve)) {
                assertTrue(server.get("/?a=SECRET&b=").startsWith("HTTP/1.1 200"));
                assertTrue(valve.getFailed() > 0, "not counted");
            }
            written = console.text();
        }
        Path log = folder.resolve("access.log");
        String line = Files.readString(log, valve.getEncoding() == null ? UTF_8 : UTF_16);
        assertEquals("GET /?a=~s1x~a~&b= HTTP/1.1", line.strip());
        assertFalse(written.contains("SECRET"));
        Files.delete(log);
        assertTrue(message == null || told.stream().anyMatch(text -> text.contains(message)), () -> message + told);
    }

    private SealedAccessLogValve valve() {
        return valve(new SealedAccessLogValve());
    }

    private SealedAccessLogValve valve(SealedAccessLogValve valve) {
        return Server.log(valve, folder, "access", "%r");
    }

    private SealedAccessLogValve set(SealedAccessLogValve valve) {
        valve.set("recipientsFile", "ops.pub");
        assertNotNull(valve.getSealer());
        return valve;
    }

    @Test
    void everySettingOfASealerCanBeGiven() {
        SealedAccessLogValve valve = new SealedAccessLogValve();
        for (String name : SettingNames.all()) {
            assertTrue(valve.setProperty(name, "x"), name);
        }
        assertFalse(valve.setProperty("recipientFile", "x"), "Tomcat warns");
        assertThrows(IllegalArgumentException.class, () -> valve.set("recipientFile", "x"));
    }

    private static final class Unlinked extends AccessLogSealer {
        private final Throwable error;

        Unlinked(Throwable error) {
            super("", LogFactory.getLog(SealedAccessLogValve.class)::error, text -> { });
            this.error = error;
        }

        @Override
        protected LogSealer build(SealerSettings settings, Path base) {
            if (error instanceof Error unlinked) {
                throw unlinked;
            }
            throw (RuntimeException) error;
        }
    }

    private final class Listener extends Handler {
        @Override
        public void publish(LogRecord entry) {
            told.add(entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
