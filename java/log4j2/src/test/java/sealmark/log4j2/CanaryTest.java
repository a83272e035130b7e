package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
import sealmark.testing.Pairwise;
import sealmark.testing.Sink;

/** Wherever a value to be sealed stands, wherever its log goes, whatever fails: it is written in clear nowhere. */
class CanaryTest {
    @TempDir
    static Path keys;

    private static Program program;

    private static final int TOO_LONG = 1 << 20;
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

    private final PrintStream out = System.out;
    private final PrintStream errors = System.err;

    enum Format { PATTERN, BARE_PATTERN, JSON, REWRITE }

    enum To { CONSOLE, FILE, ROLLING, ASYNC, SOCKET, SMTP }

    enum Place {
        MESSAGE, PARAMETER, SEALED, CONTEXT, TOKEN_IN_CONTEXT, MAP, MARKER, EXCEPTION, CAUSE, SUPPRESSED, TOKEN_IN_EXCEPTION
    }

    enum Fault { NONE, SINK_FAILS, NO_SEALER, SEALER_CLOSED, TEXT_THROWS, TOO_LONG, PURE_JAVA }

    record Case(Format format, To to, Place place, Fault fault) {
        /** The policy seals neither markers nor what is no parameter. */
        boolean isAskedFor() {
            return format != Format.REWRITE || (place != Place.MESSAGE && place != Place.MARKER);
        }
    }

    static Stream<Case> cases() {
        return Pairwise.of(Format.values().length, To.values().length, Place.values().length, Fault.values().length)
                .stream()
                .map(one -> new Case(Format.values()[one.get(0)], To.values()[one.get(1)], Place.values()[one.get(2)],
                        Fault.values()[one.get(3)]))
                .filter(Case::isAskedFor);
    }

    @BeforeAll
    static void makeKey() throws Exception {
        program = new Program(keys);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void nothingIsInClear(Case one) throws Exception {
        ByteArrayOutputStream console = new ByteArrayOutputStream();
        byte[] received;
        String complaints = "";
        Files.writeString(folder.resolve("app.json"), TEMPLATE);
        Files.createDirectory(folder.resolve("directory"));
        try (Sink sink = one.to == To.SMTP ? Sink.smtp() : Sink.tcp()) {
            boolean consoleFails = one.to == To.CONSOLE && one.fault == Fault.SINK_FAILS;
            System.setOut(new PrintStream(consoleFails ? failing() : console, true, UTF_8));
            System.setErr(new PrintStream(console, true, UTF_8));
            try (Running log = Running.of(folder, configuration(one, sink.port()))) {
                run(one, log.logger());
                Canary.assertNoneInJmx();
                complaints = log.complaints();
            } catch (LoggingException seenByTheApplication) {
                assertTrue(one.fault == Fault.SINK_FAILS, seenByTheApplication::toString);
                Canary.assertNone("exception", String.valueOf(seenByTheApplication).getBytes(UTF_8));
            }
            boolean isSent = (one.to == To.SOCKET || one.to == To.SMTP) && one.fault != Fault.SINK_FAILS;
            received = isSent ? sink.received() : sink.now();
        } finally {
            ThreadContext.clearAll();
            System.setOut(out);
            System.setErr(errors);
        }
        Canary.assertNone("console", console.toByteArray());
        Canary.assertNone("status logger", complaints.getBytes(UTF_8));
        Canary.assertNone("sink", received);
        Canary.assertNoneIn(folder);
        if (one.fault == Fault.NONE || one.fault == Fault.PURE_JAVA) {
            assertItWasThere(one, console.toByteArray(), received);
        }
    }

    /** The test would hold where nothing was logged, too. */
    private void assertItWasThere(Case one, byte[] console, byte[] received) throws Exception {
        if (one.to == To.SMTP) {
            assertTrue(received.length > 0);
            return;
        }
        List<Path> files = new ArrayList<>(List.of(folder.resolve("side.txt")));
        if (one.to == To.CONSOLE || one.to == To.SOCKET) {
            files.add(Files.write(folder.resolve("sent.log"), one.to == To.CONSOLE ? console : received));
        } else {
            files.addAll(Running.files(folder, "app.log"));
        }
        String opened = program.open(files);
        assertTrue(opened.contains(Canary.MARK), opened);
    }

    private static void run(Case one, Logger logger) {
        if (one.fault == Fault.SEALER_CLOSED) {
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

    private static void log(Case one, Logger logger) {
        String text = one.fault == Fault.TOO_LONG ? Canary.value() + "x".repeat(TOO_LONG) : Canary.value();
        Object value = one.fault == Fault.TEXT_THROWS ? new Broken.Word(new IllegalStateException(text)) : text;
        Exception thrown =
                one.fault == Fault.TEXT_THROWS ? new Broken.Words(new IllegalStateException(text)) : new Exception(text);
        switch (one.place) {
            case MESSAGE -> logger.error("of " + text);
            case PARAMETER -> logger.error("of {}", value);
            case SEALED -> logger.error("of {}", Sealed.of("arg", value));
            case CONTEXT, TOKEN_IN_CONTEXT -> {
                ThreadContext.put("ctx", one.place == Place.CONTEXT ? text : Sealed.of("ctx", value).toString());
                logger.error("nothing");
                ThreadContext.clearAll();
            }
            case MAP -> logger.error(new MapMessage<>().with("kvp", value));
            case MARKER -> logger.error(MarkerManager.getMarker(text.substring(0, Math.min(100, text.length()))), "nothing");
            case EXCEPTION -> logger.error("nothing", thrown);
            case TOKEN_IN_EXCEPTION -> logger.error("nothing", new Exception("no user " + Sealed.of("user", value)));
            case CAUSE -> logger.error("nothing", new IllegalArgumentException("outer", thrown));
            case SUPPRESSED -> {
                Exception outer = new IllegalArgumentException("outer");
                outer.addSuppressed(thrown);
                logger.error("nothing", outer);
            }
        }
    }

    private static String configuration(Case one, int port) {
        String engine = one.fault == Fault.PURE_JAVA ? " engine='pure-java'" : "";
        String sealer = one.fault == Fault.NO_SEALER
                ? "" : "<Sealer recipient='" + program.recipient + "' sideFile='FOLDER/side.txt'" + engine + "/>";
        String layout = switch (one.format) {
            case PATTERN -> "<SealedLayout>" + PATTERN + "</SealedLayout>";
            case BARE_PATTERN -> PATTERN;
            case JSON -> "<SealedLayout><JsonTemplateLayout eventTemplateUri='file:FOLDER/app.json'/></SealedLayout>";
            case REWRITE -> "<SealedLayout><PatternLayout pattern='%p %X %m%n%ex'/></SealedLayout>";
        };
        boolean fails = one.fault == Fault.SINK_FAILS;
        int to = fails ? 1 : port;
        String appender = switch (one.to) {
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
        String first = one.to == To.ASYNC ? "async" : "log";
        String async = one.to == To.ASYNC ? "<Async name='async'><AppenderRef ref='log'/></Async>" : "";
        boolean isRewritten = one.format == Format.REWRITE;
        String rewrite = isRewritten
                ? "<Rewrite name='sealing'><SealingRewritePolicy keys='CTX, kvp' exceptions='true' parameters='true'/>"
                        + "<AppenderRef ref='" + first + "'/></Rewrite>"
                : "";
        return sealer + "<Appenders>" + appender + async + rewrite + "</Appenders><Loggers><Root level='info'>"
                + "<AppenderRef ref='" + (isRewritten ? "sealing" : first) + "'/></Root></Loggers>";
    }

    private static OutputStream failing() {
        return new OutputStream() {
            @Override
            public void write(int unit) throws IOException {
                throw new IOException("full");
            }
        };
    }
}
