package sealmark.log4j2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.logging.log4j.ThreadContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sealmark.log.Sealed;
import sealmark.testing.Sink;

/** Records that appenders inside {@code <SealedRecords>} send; java/receivers has a real receiver. */
class RecordAppenderTest {
    private static final String PATTERN =
            "<PatternLayout pattern='%p %c %m user=%X{user} card=%sealed{%X{card}}{card}%n'/>";

    @TempDir
    static Path keys;

    private static Program program;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeKey() throws Exception {
        program = new Program(keys);
    }

    @ParameterizedTest
    @CsvSource({"'',''", "<SealedLayout>,</SealedLayout>"})
    void headersAreRecordsWithoutAContext(String before, String behind) throws Exception {
        try (Sink sink = Sink.tcp()) {
            try (Running log = Running.of(folder, configuration("<SealedRecords name='app'>"
                    + "<SealingRewritePolicy keys='user' exceptions='true'/><Socket name='socket' host='127.0.0.1' port='"
                    + sink.port() + "'>" + before + PATTERN + behind + "</Socket></SealedRecords>"))) {
                ThreadContext.put("user", "hanako");
                ThreadContext.put("card", "4711");
                log.logger().warn("paid by {}", Sealed.of("email", "hanako"), new IllegalStateException("hanako"));
                ThreadContext.clearAll();
                assertEquals("", log.complaints());
            }
            Files.write(folder.resolve("sent.log"), sink.received());
        }
        String sent = Program.text(folder.resolve("sent.log"));
        assertFalse(sent.contains("hanako") || sent.contains("4711"), sent);
        List<String> headers = sent.lines().filter(line -> line.contains("~s1h~")).toList();
        // Log4j may have made the message before, in a session of no log.
        long sessions = headers.stream().map(line -> line.replaceFirst(".*~s1h~([^~]+)~.*", "$1")).distinct().count();
        assertEquals(5 * sessions, headers.size(), sent);
        assertTrue(headers.stream().allMatch(line -> line.matches("WARN sealmark ~s1h~\\S+ user= card= ?")), sent);
        assertTrue(sent.contains("WARN sealmark ~s1z~"), sent);
        String opened = program.open(folder.resolve("sent.log"));
        assertTrue(opened.contains("WARN app paid by hanako user=hanako card=4711")
                && opened.contains("java.lang.IllegalStateException: hanako\n"), opened);
        program.verify(folder.resolve("sent.log"));
    }

    @Test
    void aMailHasTheHeadersOfItsRecord() throws Exception {
        try (Sink sink = Sink.smtp()) {
            try (Running log = Running.of(folder, configuration("<SealedRecords name='app'><SMTP name='mail' subject='trouble'"
                    + " from='a@b.example' to='c@d.example' smtpHost='127.0.0.1' smtpPort='" + sink.port() + "'>"
                    + "<PatternLayout pattern='%m%n'/></SMTP></SealedRecords>"))) {
                log.logger().error("paid by {}", Sealed.of("email", "hanako"));
                log.logger().error("paid by {}", Sealed.of("email", "jiro"));
                assertEquals("", log.complaints());
            }
            Files.write(folder.resolve("sent.log"), sink.received());
        }
        String sent = Program.text(folder.resolve("sent.log"));
        assertEquals(2, sent.split("Subject:", -1).length - 1, sent);
        assertFalse(sent.contains("hanako"), sent);
        String opened = program.open(folder.resolve("sent.log"));
        assertTrue(opened.contains("paid by hanako") && opened.contains("paid by jiro"), opened);
    }

    @Test
    void nothingInsideIsAnError() throws Exception {
        try (Running log = Running.of(folder, configuration("<SealedRecords name='app'/>"))) {
            assertTrue(log.complaints().contains("<SealedRecords name=\"app\"> has no appender inside, so nothing is sent\nhint: "),
                    log.complaints());
        }
    }

    /** Configuring anew closes the sessions of the appenders before. */
    @Test
    void aNewConfigurationSendsOn() throws Exception {
        try (Sink sink = Sink.tcp()) {
            String configuration = configuration("<SealedRecords name='app'><Socket name='socket' host='127.0.0.1' port='"
                    + sink.port() + "'>" + PATTERN + "</Socket></SealedRecords>");
            try (Running log = Running.of(folder, configuration)) {
                log.logger().info("paid by {}", Sealed.of("email", "one"));
                log.reconfigure(configuration);
                log.logger().info("paid by {}", Sealed.of("email", "two"));
            }
            Files.write(folder.resolve("sent.log"), sink.received());
        }
        String opened = program.open(folder.resolve("sent.log"));
        assertTrue(opened.contains("paid by one") && opened.contains("paid by two"), opened);
        program.verify(folder.resolve("sent.log"));
    }

    private static String configuration(String appender) {
        return "<Sealer recipient='" + program.recipient + "'/><Appenders>" + appender
                + "</Appenders><Loggers><Root level='info'><AppenderRef ref='app'/></Root></Loggers>";
    }
}
