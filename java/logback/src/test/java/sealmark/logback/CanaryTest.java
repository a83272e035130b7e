package sealmark.logback;

import static java.nio.charset.StandardCharsets.UTF_8;
import static net.logstash.logback.argument.StructuredArguments.kv;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.util.StatusPrinter2;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.stream.Stream;
import net.logstash.logback.marker.Markers;
import org.junit.jupiter.api.extension.RegisterExtension;
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
    private static final String PATTERN =
            "%level %sealed(%msg){message} %sealed{ctx} %sealedKvp %sealed(%marker){marker}%n";
    private static final String FIELDS = "<decorator class='sealmark.logback.SealedFields'><field>Ctx</field>"
            + "<field>kvp</field><field>arg</field><field>marker</field>MESSAGE</decorator>"
            + "<throwableConverter class='sealmark.logback.SealedThrowableConverter'/>";
    @RegisterExtension
    final LogFolder logs = new LogFolder();

    enum Format { PATTERN, JSON }

    static Stream<CanaryCase<Format>> cases() {
        return CanaryCase.all(Format.values());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void nothingIsInClear(CanaryCase<Format> one) throws Exception {
        Sink sink = one.to() == To.SMTP ? Sink.smtp() : one.format() == Format.JSON ? Sink.tcp() : Sink.udp();
        // SyslogAppender writes exceptions itself, or not at all.
        boolean isLeftOut = one.to() == To.SOCKET && one.format() == Format.PATTERN
                && one.place().compareTo(Place.EXCEPTION) >= 0;
        one.assertNothingIsInClear(logs.folder, sink, port -> log(one, port), "sealed.log",
                files -> logs.opened(files.stream().map(file -> file.getFileName().toString()).toArray(String[]::new))
                        + (isLeftOut ? Canary.MARK : ""));
    }

    /** Returns Logback's statuses. */
    private String log(CanaryCase<Format> one, int port) throws Exception {
        ByteArrayOutputStream statuses = new ByteArrayOutputStream();
        LoggerContext context = logs.configure(configuration(one, port));
        try {
            run(one, context);
            Canary.assertNoneInJmx();
        } finally {
            context.stop();
        }
        StatusPrinter2 printer = new StatusPrinter2();
        printer.setPrintStream(new PrintStream(statuses, true, UTF_8));
        printer.print(context);
        return statuses.toString(UTF_8);
    }

    private void run(CanaryCase<Format> one, LoggerContext context) throws Exception {
        if (one.fault() == Fault.SEALER_CLOSED) {
            Sealers.find(Sealers.DEFAULT).close();
        }
        Logger logger = context.getLogger("a");
        for (int times = 0; times < 2; times++) {
            try {
                log(one, context, logger);
            } catch (IllegalStateException thrownByTheApplication) {
                assertTrue(one.fault() == Fault.TEXT_THROWS, thrownByTheApplication.getClass().getName());
            }
            if (one.fault() != Fault.SINK_FAILS
                    && logger.getLoggerContext().getLogger("ROOT").getAppender("LOG") instanceof RollingFileAppender<?> log) {
                log.rollover();
            }
        }
    }

    private static void log(CanaryCase<Format> one, LoggerContext context, Logger logger) {
        Object value = one.value();
        switch (one.place()) {
            case MESSAGE -> logger.error("of " + one.text());
            case PARAMETER -> {
                // SLF4J itself prints what the text of a plain parameter throws.
                Object plain = one.fault() == Fault.TEXT_THROWS ? one.value("") : one.text();
                logger.error("of {}", one.format() == Format.JSON ? kv("arg", value) : plain);
            }
            case SEALED -> logger.error("of {}", Sealed.of("arg", value));
            case CONTEXT, TOKEN_IN_CONTEXT -> {
                context.getMDCAdapter()
                        .put("ctx", one.place() == Place.CONTEXT ? one.text() : Sealed.of("ctx", value).toString());
                logger.error("nothing");
                context.getMDCAdapter().clear();
            }
            case PAIR -> logger.atError().addKeyValue("kvp", value).log("nothing");
            case MARKER -> logger.error(Markers.append("marker", value), "nothing");
            case EXCEPTION, CAUSE, SUPPRESSED, TOKEN_IN_EXCEPTION ->
                    logger.error("nothing", one.thrown(Sealed.of("user", value)));
        }
    }

    private static String configuration(CanaryCase<Format> one, int port) {
        String engine = one.fault() == Fault.PURE_JAVA ? "<engine>pure-java</engine>" : "";
        String sealer = one.fault() == Fault.NO_SEALER
                ? LogFolder.SEALER.replace("FOLDER/recipients.txt", "FOLDER/nowhere.txt")
                : LogFolder.SEALER.replace("</contextListener>", engine + "<sideFile>FOLDER/side.txt</sideFile></contextListener>");
        // A message that was joined by hand is sealed where its field is named.
        String fields = FIELDS.replace("MESSAGE", one.place() == Place.MESSAGE ? "<field>message</field>" : "");
        String encoder = one.format() == Format.PATTERN
                ? "<encoder><pattern>" + PATTERN + "</pattern></encoder>"
                : "<encoder class='net.logstash.logback.encoder.LogstashEncoder'>" + fields + "</encoder>";
        boolean fails = one.fault() == Fault.SINK_FAILS;
        String file = "<file>" + (fails ? "/dev/full" : "FOLDER/sealed.log") + "</file>";
        int to = fails ? 1 : port;
        String appender = switch (one.to()) {
            case CONSOLE -> appender("sealmark.logback.SealedConsoleAppender", encoder);
            case FILE, ASYNC -> appender("sealmark.logback.SealedFileAppender", file + encoder);
            case ROLLING -> appender("sealmark.logback.SealedRollingFileAppender",
                    "<file>FOLDER/" + (fails ? "recipients.txt/none" : "sealed.log") + "</file>"
                            + "<rollingPolicy class='ch.qos.logback.core.rolling.FixedWindowRollingPolicy'>"
                            + "<fileNamePattern>FOLDER/sealed.log.%i</fileNamePattern></rollingPolicy><triggeringPolicy"
                            + " class='ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy'/>" + encoder);
            case SOCKET -> one.format() == Format.JSON
                    ? appender("net.logstash.logback.appender.LogstashTcpSocketAppender",
                            "<destination>127.0.0.1:" + to + "</destination>"
                                    + (fails ? "<shutdownGracePeriod>50 milliseconds</shutdownGracePeriod>" : "") + encoder)
                    : appender("ch.qos.logback.classic.net.SyslogAppender", "<syslogHost>127.0.0.1</syslogHost><port>" + to
                            + "</port><facility>USER</facility><throwableExcluded>true</throwableExcluded>"
                            + "<suffixPattern>" + PATTERN + "</suffixPattern>");
            case SMTP -> appender("ch.qos.logback.classic.net.SMTPAppender", "<smtpHost>127.0.0.1</smtpHost><smtpPort>" + to
                    + "</smtpPort><to>a@example.com</to><from>b@example.com</from><subject>alert</subject>"
                    + "<asynchronousSending>false</asynchronousSending>" + (one.format() == Format.JSON
                            ? "<layout class='net.logstash.logback.layout.LogstashLayout'>" + fields + "</layout>"
                            : "<layout class='ch.qos.logback.classic.PatternLayout'><pattern>" + PATTERN
                                    + "</pattern></layout>"));
        };
        String async = "<appender name='ASYNC' class='ch.qos.logback.classic.AsyncAppender'><appender-ref ref='LOG'/></appender>";
        return sealer + appender + (one.to() == To.ASYNC ? async : "") + "<root level='INFO'><appender-ref ref='"
                + (one.to() == To.ASYNC ? "ASYNC" : "LOG") + "'/></root>";
    }

    private static String appender(String type, String elements) {
        return "<appender name='LOG' class='" + type + "'>" + elements + "</appender>";
    }
}
