package sealmark.logback;

import static java.nio.charset.StandardCharsets.UTF_8;
import static net.logstash.logback.argument.StructuredArguments.kv;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.util.StatusPrinter2;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.logstash.logback.marker.Markers;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.testing.Canary;
import sealmark.testing.Pairwise;
import sealmark.testing.Sink;

/** Wherever a value to be sealed stands, wherever its log goes, whatever fails: it is written in clear nowhere. */
class CanaryTest {
    private static final String PATTERN =
            "%level %sealed(%msg){message} %sealed{ctx} %sealedKvp %sealed(%marker){marker}%n";
    private static final String FIELDS = "<decorator class='sealmark.logback.SealedFields'><field>Ctx</field>"
            + "<field>kvp</field><field>arg</field><field>marker</field>MESSAGE</decorator>"
            + "<throwableConverter class='sealmark.logback.SealedThrowableConverter'/>";
    private static final int TOO_LONG = 1 << 20;

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    private final PrintStream out = System.out;
    private final PrintStream errors = System.err;

    enum Format { PATTERN, JSON }

    enum To { CONSOLE, FILE, ROLLING, ASYNC, SOCKET, SMTP }

    enum Place {
        MESSAGE, PARAMETER, SEALED, CONTEXT, TOKEN_IN_CONTEXT, PAIR, MARKER, EXCEPTION, CAUSE, SUPPRESSED, TOKEN_IN_EXCEPTION
    }

    enum Fault { NONE, SINK_FAILS, NO_SEALER, SEALER_CLOSED, TEXT_THROWS, TOO_LONG, PURE_JAVA }

    record Case(Format format, To to, Place place, Fault fault) {}

    static Stream<Case> cases() {
        int formats = Format.values().length;
        int appenders = To.values().length;
        int places = Place.values().length;
        // Each format in each appender is a set-up of its own, as another code writes the message: all places, no fault.
        Stream<Case> whole = IntStream.range(0, formats * appenders * places).mapToObj(at -> new Case(Format.values()[at % formats],
                To.values()[at / formats % appenders], Place.values()[at / formats / appenders], Fault.NONE));
        Stream<Case> faulty = Pairwise.of(formats, appenders, places, Fault.values().length - 1).stream()
                .map(one -> new Case(Format.values()[one.get(0)], To.values()[one.get(1)], Place.values()[one.get(2)],
                        Fault.values()[one.get(3) + 1]));
        return Stream.concat(whole, faulty);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void nothingIsInClear(Case one) throws Exception {
        ByteArrayOutputStream console = new ByteArrayOutputStream();
        ByteArrayOutputStream statuses = new ByteArrayOutputStream();
        byte[] received;
        try (Sink sink = one.to == To.SMTP ? Sink.smtp() : one.format == Format.JSON ? Sink.tcp() : Sink.udp()) {
            boolean consoleFails = one.to == To.CONSOLE && one.fault == Fault.SINK_FAILS;
            System.setOut(new PrintStream(consoleFails ? failing() : console, true, UTF_8));
            System.setErr(new PrintStream(console, true, UTF_8));
            LoggerContext context = logs.configure(configuration(one, sink.port()));
            try {
                run(one, context);
                Canary.assertNoneInJmx();
            } finally {
                context.stop();
            }
            StatusPrinter2 printer = new StatusPrinter2();
            printer.setPrintStream(new PrintStream(statuses, true, UTF_8));
            printer.print(context);
            boolean isSent = (one.to == To.SOCKET || one.to == To.SMTP) && one.fault != Fault.SINK_FAILS;
            received = isSent ? sink.received() : sink.now();
        } finally {
            System.setOut(out);
            System.setErr(errors);
        }
        Canary.assertNone("console", console.toByteArray());
        Canary.assertNone("statuses", statuses.toByteArray());
        Canary.assertNone("sink", received);
        Canary.assertNoneIn(logs.folder);
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
        List<String> files = new ArrayList<>(List.of("side.txt"));
        if (one.to == To.CONSOLE || one.to == To.SOCKET) {
            Files.write(logs.folder.resolve("sent.log"), one.to == To.CONSOLE ? console : received);
            files.add("sent.log");
        } else {
            files.addAll(logs.logs("sealed.log"));
        }
        String opened = logs.opened(files.toArray(String[]::new));
        if (one.to == To.SOCKET && one.format == Format.PATTERN && one.place.compareTo(Place.EXCEPTION) >= 0) {
            // SyslogAppender writes exceptions itself, or not at all.
            return;
        }
        assertTrue(opened.contains(Canary.MARK), opened);
    }

    private void run(Case one, LoggerContext context) throws Exception {
        if (one.fault == Fault.SEALER_CLOSED) {
            Sealers.find(Sealers.DEFAULT).close();
        }
        Logger logger = context.getLogger("a");
        for (int times = 0; times < 2; times++) {
            try {
                log(one, context, logger);
            } catch (IllegalStateException thrownByTheApplication) {
                assertTrue(one.fault == Fault.TEXT_THROWS, thrownByTheApplication.getClass().getName());
            }
            if (one.fault != Fault.SINK_FAILS
                    && logger.getLoggerContext().getLogger("ROOT").getAppender("LOG") instanceof RollingFileAppender<?> log) {
                log.rollover();
            }
        }
    }

    private static void log(Case one, LoggerContext context, Logger logger) {
        String text = one.fault == Fault.TOO_LONG ? Canary.value() + "x".repeat(TOO_LONG) : Canary.value();
        Object value = one.fault == Fault.TEXT_THROWS ? new Throwing(text) : text;
        RuntimeException thrown = one.fault == Fault.TEXT_THROWS ? new ThrowingException(text) : new RuntimeException(text);
        switch (one.place) {
            case MESSAGE -> logger.error("of " + text);
            case PARAMETER -> {
                // SLF4J itself prints what the text of a plain parameter throws.
                Object plain = one.fault == Fault.TEXT_THROWS ? new Throwing("") : text;
                logger.error("of {}", one.format == Format.JSON ? kv("arg", value) : plain);
            }
            case SEALED -> logger.error("of {}", Sealed.of("arg", value));
            case CONTEXT, TOKEN_IN_CONTEXT -> {
                context.getMDCAdapter().put("ctx", one.place == Place.CONTEXT ? text : Sealed.of("ctx", value).toString());
                logger.error("nothing");
                context.getMDCAdapter().clear();
            }
            case PAIR -> logger.atError().addKeyValue("kvp", value).log("nothing");
            case MARKER -> logger.error(Markers.append("marker", value), "nothing");
            case EXCEPTION -> logger.error("nothing", thrown);
            case TOKEN_IN_EXCEPTION -> logger.error("nothing", new RuntimeException("no user " + Sealed.of("user", value)));
            case CAUSE -> logger.error("nothing", new IllegalArgumentException("outer", thrown));
            case SUPPRESSED -> {
                Exception outer = new IllegalArgumentException("outer");
                outer.addSuppressed(thrown);
                logger.error("nothing", outer);
            }
        }
    }

    private static String configuration(Case one, int port) {
        String engine = one.fault == Fault.PURE_JAVA ? "<engine>pure-java</engine>" : "";
        String sealer = one.fault == Fault.NO_SEALER
                ? LogFolder.SEALER.replace("FOLDER/recipients.txt", "FOLDER/nowhere.txt")
                : LogFolder.SEALER.replace("</contextListener>", engine + "<sideFile>FOLDER/side.txt</sideFile></contextListener>");
        // A message that was joined by hand is sealed where its field is named.
        String fields = FIELDS.replace("MESSAGE", one.place == Place.MESSAGE ? "<field>message</field>" : "");
        String encoder = one.format == Format.PATTERN
                ? "<encoder><pattern>" + PATTERN + "</pattern></encoder>"
                : "<encoder class='net.logstash.logback.encoder.LogstashEncoder'>" + fields + "</encoder>";
        boolean fails = one.fault == Fault.SINK_FAILS;
        String file = "<file>" + (fails ? "/dev/full" : "FOLDER/sealed.log") + "</file>";
        int to = fails ? 1 : port;
        String appender = switch (one.to) {
            case CONSOLE -> appender("sealmark.logback.SealedConsoleAppender", encoder);
            case FILE, ASYNC -> appender("sealmark.logback.SealedFileAppender", file + encoder);
            case ROLLING -> appender("sealmark.logback.SealedRollingFileAppender",
                    "<file>FOLDER/" + (fails ? "recipients.txt/none" : "sealed.log") + "</file>"
                            + "<rollingPolicy class='ch.qos.logback.core.rolling.FixedWindowRollingPolicy'>"
                            + "<fileNamePattern>FOLDER/sealed.log.%i</fileNamePattern></rollingPolicy><triggeringPolicy"
                            + " class='ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy'/>" + encoder);
            case SOCKET -> one.format == Format.JSON
                    ? appender("net.logstash.logback.appender.LogstashTcpSocketAppender",
                            "<destination>127.0.0.1:" + to + "</destination>"
                                    + (fails ? "<shutdownGracePeriod>50 milliseconds</shutdownGracePeriod>" : "") + encoder)
                    : appender("ch.qos.logback.classic.net.SyslogAppender", "<syslogHost>127.0.0.1</syslogHost><port>" + to
                            + "</port><facility>USER</facility><throwableExcluded>true</throwableExcluded>"
                            + "<suffixPattern>" + PATTERN + "</suffixPattern>");
            case SMTP -> appender("ch.qos.logback.classic.net.SMTPAppender", "<smtpHost>127.0.0.1</smtpHost><smtpPort>" + to
                    + "</smtpPort><to>a@example.com</to><from>b@example.com</from><subject>alert</subject>"
                    + "<asynchronousSending>false</asynchronousSending>" + (one.format == Format.JSON
                            ? "<layout class='net.logstash.logback.layout.LogstashLayout'>" + fields + "</layout>"
                            : "<layout class='ch.qos.logback.classic.PatternLayout'><pattern>" + PATTERN
                                    + "</pattern></layout>"));
        };
        String async = "<appender name='ASYNC' class='ch.qos.logback.classic.AsyncAppender'><appender-ref ref='LOG'/></appender>";
        return sealer + appender + (one.to == To.ASYNC ? async : "") + "<root level='INFO'><appender-ref ref='"
                + (one.to == To.ASYNC ? "ASYNC" : "LOG") + "'/></root>";
    }

    private static String appender(String type, String elements) {
        return "<appender name='LOG' class='" + type + "'>" + elements + "</appender>";
    }

    private static OutputStream failing() {
        return new OutputStream() {
            @Override
            public void write(int unit) throws java.io.IOException {
                throw new java.io.IOException("full");
            }
        };
    }

    /** Says the value where it fails. */
    private static final class Throwing {
        private final transient String text;

        Throwing(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            throw new IllegalStateException(text);
        }
    }

    private static final class ThrowingException extends RuntimeException {
        private static final long serialVersionUID = 1;

        ThrowingException(String text) {
            super(text);
        }

        @Override
        public String getMessage() {
            throw new IllegalStateException(super.getMessage());
        }
    }
}
