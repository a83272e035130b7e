package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.logging.log4j.LoggingException;
import org.apache.logging.log4j.MarkerManager;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.message.MapMessage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.testing.Canary;
import sealmark.testing.CanaryCase;
import sealmark.testing.CanaryCase.Fault;
import sealmark.testing.CanaryCase.Place;
import sealmark.testing.CanaryCase.To;
import sealmark.testing.Sink;

/** Wherever a value to be sealed stands, wherever its log goes, whatever fails: it is written in clear nowhere. */
class CanaryTest {
    @TempDir
    static Path keys;

    private static Program program;

    private static final String PATTERN = "<PatternLayout pattern='%p %sealed{%X{ctx}}{ctx} %sealed{%marker}{marker}"
            + " %sealed{%m}{message}%n'/>";
    private static final String TEMPLATE = """
            {"level": {"$resolver": "level", "field": "name"},
             "message": {"$resolver": "sealed", "of": "message", "stringified": true},
             "ctx": {"$resolver": "sealed", "of": "mdc", "key": "ctx"},
             "marker": {"$resolver": "sealed", "of": "marker", "field": "name"},
             "exception": {"$resolver": "sealed", "of": "exception", "field": "stackTrace",
                           "stackTrace": {"stringified": true}}}
            """;

    @TempDir
    Path folder;

    enum Format { PATTERN, BARE_PATTERN, JSON, REWRITE }

    /**
     * The policy seals neither markers nor what is no parameter. Before 2.25, an asynchronous appender of Log4j asks suppressed
     * exceptions for their messages itself, and its status logger gets what they throw.
     */
    static Stream<CanaryCase<Format>> cases() {
        return CanaryCase.all(Format.values())
                .filter(one -> !Running.isBefore225() || one.to() != To.ASYNC || one.place() != Place.SUPPRESSED
                        || one.fault() != Fault.TEXT_THROWS)
                .filter(one -> one.format() != Format.REWRITE || (one.place() != Place.MESSAGE && one.place() != Place.MARKER));
    }

    @BeforeAll
    static void makeKey() throws Exception {
        program = new Program(keys);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void nothingIsInClear(CanaryCase<Format> one) throws Exception {
        Files.writeString(folder.resolve("app.json"), TEMPLATE);
        Files.createDirectory(folder.resolve("directory"));
        one.assertNothingIsInClear(folder, one.to() == To.SMTP ? Sink.smtp() : Sink.tcp(), port -> log(one, port),
                "app.log", program::open);
    }

    /** Returns what Log4j's status logger got. */
    private String log(CanaryCase<Format> one, int port) throws Exception {
        String complaints = "";
        try (Running log = Running.of(folder, configuration(one, port))) {
            run(one, log.logger());
            Canary.assertNoneInJmx();
            complaints = log.complaints();
        } catch (LoggingException seenByTheApplication) {
            assertTrue(one.fault() == Fault.SINK_FAILS, seenByTheApplication::toString);
            Canary.assertNone("exception", String.valueOf(seenByTheApplication).getBytes(UTF_8));
        } finally {
            ThreadContext.clearAll();
        }
        return complaints;
    }

    private static void run(CanaryCase<Format> one, Logger logger) {
        if (one.fault() == Fault.SEALER_CLOSED) {
            Sealers.find(Sealers.DEFAULT).close();
        }
        for (int times = 0; times < 2; times++) {
            try {
                log(one, logger);
            } catch (LoggingException seenByTheApplication) {
                Canary.assertNone("exception", String.valueOf(seenByTheApplication).getBytes(UTF_8));
            }
        }
    }

    private static void log(CanaryCase<Format> one, Logger logger) {
        Object value = one.value();
        switch (one.place()) {
            case MESSAGE -> logger.error("of " + one.text());
            case PARAMETER -> logger.error("of {}", value);
            case SEALED -> logger.error("of {}", Sealed.of("arg", value));
            case CONTEXT, TOKEN_IN_CONTEXT -> {
                ThreadContext.put("ctx", one.place() == Place.CONTEXT ? one.text() : Sealed.of("ctx", value).toString());
                logger.error("nothing");
                ThreadContext.clearAll();
            }
            case PAIR -> logger.error(new MapMessage<>().with("kvp", value));
            case MARKER -> logger.error(
                    MarkerManager.getMarker(one.text().substring(0, Math.min(100, one.text().length()))), "nothing");
            case EXCEPTION, CAUSE, SUPPRESSED, TOKEN_IN_EXCEPTION ->
                    logger.error("nothing", one.thrown(Sealed.of("user", value)));
        }
    }

    private static String configuration(CanaryCase<Format> one, int port) {
        String engine = one.fault() == Fault.PURE_JAVA ? " engine='pure-java'" : "";
        String sealer = one.fault() == Fault.NO_SEALER
                ? "" : "<Sealer recipient='" + program.recipient + "' sideFile='FOLDER/side.txt'" + engine + "/>";
        String layout = switch (one.format()) {
            case PATTERN -> "<SealedLayout>" + PATTERN + "</SealedLayout>";
            case BARE_PATTERN -> PATTERN;
            case JSON -> "<SealedLayout><JsonTemplateLayout eventTemplateUri='file:FOLDER/app.json'/></SealedLayout>";
            case REWRITE -> "<SealedLayout><PatternLayout pattern='%p %X %m%n%ex'/></SealedLayout>";
        };
        boolean fails = one.fault() == Fault.SINK_FAILS;
        int to = fails ? 1 : port;
        String appender = switch (one.to()) {
            case CONSOLE -> "<Console name='log' follow='true'>" + layout + "</Console>";
            case FILE, ASYNC ->
                    "<File name='log' fileName='" + (fails ? "/dev/full" : "FOLDER/app.log") + "'>" + layout + "</File>";
            case ROLLING -> "<RollingFile name='log' fileName='FOLDER/" + (fails ? "directory" : "app.log")
                    + "' filePattern='FOLDER/app.log.%i'>" + layout
                    + "<SizeBasedTriggeringPolicy size='100'/></RollingFile>";
            case SOCKET -> "<Socket name='log' host='127.0.0.1' port='" + to + "'>" + layout + "</Socket>";
            case SMTP -> "<SMTP name='log' smtpHost='127.0.0.1' smtpPort='" + to
                    + "' to='a@example.com' from='b@example.com' subject='alert'>" + layout + "</SMTP>";
        };
        String first = one.to() == To.ASYNC ? "async" : "log";
        String async = one.to() == To.ASYNC ? "<Async name='async'><AppenderRef ref='log'/></Async>" : "";
        boolean isRewritten = one.format() == Format.REWRITE;
        String rewrite = isRewritten
                ? "<Rewrite name='sealing'><SealingRewritePolicy keys='CTX, kvp' exceptions='true' parameters='true'/>"
                        + "<AppenderRef ref='" + first + "'/></Rewrite>"
                : "";
        return sealer + "<Appenders>" + appender + async + rewrite + "</Appenders><Loggers><Root level='info'>"
                + "<AppenderRef ref='" + (isRewritten ? "sealing" : first) + "'/></Root></Loggers>";
    }
}
