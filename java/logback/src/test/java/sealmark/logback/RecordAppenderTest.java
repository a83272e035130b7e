package sealmark.logback;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ch.qos.logback.core.status.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import sealmark.log.Sealed;
import sealmark.testing.Sink;

/** Records that appenders of others send; java/receivers has real receivers. */
class RecordAppenderTest {
    private static final String SEALED = """
            <appender name="SEALED" class="sealmark.logback.SealedRecordAppender">
              NAMES
              <appender-ref ref="OTHER"/>
            </appender>
            <root level="DEBUG"><appender-ref ref="SEALED"/></root>
            """;
    private static final String NAMES = "<seal>user, card.*</seal>";
    private static final String LIST = "<appender name='OTHER' class='ch.qos.logback.core.read.ListAppender'>FILTER</appender>";

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    @Test
    void headersAreRecordsOfTheLevelOfTheNextAndHaveNoContext() {
        LoggerContext context = logs.configure(LogFolder.SEALER + LIST.replace("FILTER", """
                <filter class="ch.qos.logback.classic.filter.ThresholdFilter"><level>WARN</level></filter>""") + SEALED.replace("NAMES", ""));
        List<ILoggingEvent> sent = sent(context);
        Logger logger = context.getLogger("shop");
        context.getMDCAdapter().put("user", "hanako");
        logger.warn("paid by {}", Sealed.of("email", "hanako"));
        context.stop();
        LogFolder.assertNoErrors(context);
        assertEquals(SealedRecordAppender.HEADER_LOGGER, sent.get(0).getLoggerName());
        assertTrue(sent.get(0).getFormattedMessage().startsWith("~s1h~"));
        assertEquals("shop", sent.get(1).getLoggerName());
        assertTrue(sent.stream().filter(one -> one.getLoggerName().equals("sealmark"))
                .allMatch(one -> one.getMDCPropertyMap().isEmpty() && one.getLevel().toString().equals("WARN")));
        assertTrue(sent.get(sent.size() - 1).getFormattedMessage().startsWith("~s1z~"));
    }

    @Test
    void namedValuesOpenWhoeverAsksForThemLater() throws IOException {
        LoggerContext context = logs.configure(LogFolder.SEALER + LIST.replace("FILTER", "") + SEALED.replace("NAMES", NAMES));
        List<ILoggingEvent> sent = sent(context);
        context.getMDCAdapter().put("user", "hanako");
        context.getLogger("shop").atInfo().addKeyValue("card.number", "4711").log("paid", new IllegalStateException("hanako"));
        ILoggingEvent record = sent.get(0);
        String text = record.getMDCPropertyMap().get("user") + " " + record.getKeyValuePairs().get(0).value + " "
                + record.getThrowableProxy().getMessage() + "\n";
        assertFalse(text.contains("hanako") || text.contains("4711"), text);
        context.stop();
        LogFolder.assertNoErrors(context);
        Files.writeString(logs.folder.resolve("sent.log"), text
                + sent.stream().skip(1).map(ILoggingEvent::getFormattedMessage).collect(Collectors.joining("\n")) + "\n");
        assertEquals("hanako 4711 hanako\n", logs.opened("sent.log"));
    }

    @Test
    void textThatLooksLikeATokenIsSealed() throws IOException {
        LoggerContext context = logs.configure(LogFolder.SEALER + LIST.replace("FILTER", "") + SEALED.replace("NAMES", ""));
        List<ILoggingEvent> sent = sent(context);
        String lookalike = "~s1a~email~AAAAAAAAAAAAAAAA~" + "A".repeat(40) + "~";
        context.getLogger("shop").info("GET /{}", lookalike);
        context.stop();
        assertTrue(sent.stream().anyMatch(one -> one.getFormattedMessage().startsWith("GET /~s1a~lookalike~")));
        Files.writeString(logs.folder.resolve("sent.log"),
                sent.stream().map(ILoggingEvent::getFormattedMessage).collect(Collectors.joining("\n")) + "\n");
        assertEquals("GET /" + lookalike + "\n", logs.opened("sent.log"));
    }

    /** That one encodes on a thread of its own. */
    @Test
    void logstashOverTcpOpens() throws Exception {
        try (Sink sink = Sink.tcp()) {
            LoggerContext context = logs.configure(LogFolder.SEALER + """
                    <appender name="OTHER" class="net.logstash.logback.appender.LogstashTcpSocketAppender">
                      <destination>127.0.0.1:PORT</destination>
                      <encoder class="net.logstash.logback.encoder.LogstashEncoder"/>
                    </appender>
                    """.replace("PORT", Integer.toString(sink.port())) + SEALED.replace("NAMES", NAMES));
            context.getMDCAdapter().put("user", "hanako");
            context.getLogger("shop").atInfo().addKeyValue("card.number", 4711).log("paid by {}", Sealed.of("email", "hanako"));
            context.getLogger("shop").info("refused", new IllegalStateException("hanako"));
            sink.received();
            context.stop();
            LogFolder.assertNoErrors(context);
            Files.write(logs.folder.resolve("sent.log"), sink.received());
        }
        logs.assertHidden(List.of("hanako", "4711"), "sent.log");
        String opened = logs.opened("sent.log");
        assertTrue(opened.contains("\"message\":\"paid by hanako\"") && opened.contains("\"user\":\"hanako\"")
                && opened.contains("\"card.number\":4711") && opened.contains("IllegalStateException: hanako")
                && opened.contains("\"thread_name\":\"" + Thread.currentThread().getName() + "\""), opened);
    }

    @Test
    void aMailHasTheHeadersOfItsRecord() throws Exception {
        try (Sink sink = Sink.smtp()) {
            LoggerContext context = logs.configure(LogFolder.SEALER + """
                    <appender name="OTHER" class="ch.qos.logback.classic.net.SMTPAppender">
                      <smtpHost>127.0.0.1</smtpHost><smtpPort>PORT</smtpPort><from>a@b.example</from><to>c@d.example</to>
                      <subject>trouble</subject><asynchronousSending>false</asynchronousSending>
                      <layout class="ch.qos.logback.classic.PatternLayout"><pattern>%msg%nopex%n</pattern></layout>
                    </appender>
                    """.replace("PORT", Integer.toString(sink.port())) + SEALED.replace("NAMES", ""));
            context.getLogger("shop").error("paid by {}", Sealed.of("email", "hanako"));
            context.stop();
            LogFolder.assertNoErrors(context);
            String mail = new String(sink.received(), UTF_8);
            assertEquals(1, mail.split("Subject:", -1).length - 1, "one mail");
            Files.writeString(logs.folder.resolve("sent.log"), mail);
        }
        logs.assertHidden(List.of("hanako"), "sent.log");
        assertTrue(logs.opened("sent.log").contains("paid by hanako"), logs.opened("sent.log"));
    }

    @Test
    void anAppenderThatSendsNoHeadersIsTold() {
        String syslog = """
                <appender name="SYSLOG" class="ch.qos.logback.classic.net.SyslogAppender">
                  <syslogHost>127.0.0.1</syslogHost><port>9</port><facility>USER</facility>
                  <throwableExcluded>true</throwableExcluded><suffixPattern>%msg</suffixPattern>
                </appender>
                <root level="DEBUG"><appender-ref ref="SYSLOG"/></root>
                """;
        LoggerContext context = logs.configure(LogFolder.SEALER + syslog);
        context.start();
        context.stop();
        assertEquals(List.of("appender [SYSLOG] of class ch.qos.logback.classic.net.SyslogAppender sends no headers, so values of"
                + " Sealed.of in messages could not be opened by its receiver\nhint: attach it to an appender of class"
                + " sealmark.logback.SealedRecordAppender with <appender-ref ref=\"SYSLOG\"/>, or a <sideFile> of the sealer"),
                LogFolder.statuses(context, Status.WARN));
        context = logs.configure(LogFolder.SEALER + syslog.replace("%msg<", "%sealed(%msg){message}<"));
        context.start();
        context.stop();
        assertTrue(LogFolder.statuses(context, Status.ERROR).get(0).startsWith("appender [SYSLOG] of class"
                + " ch.qos.logback.classic.net.SyslogAppender writes no headers, so the values that its pattern seals become"
                + " markers\nhint: attach it to"), LogFolder.statuses(context, Status.ERROR).toString());
    }

    @Test
    void mistakesAreTold() {
        LoggerContext context = logs.configure(LogFolder.SEALER + SEALED.replace("NAMES", "").replace("<appender-ref ref=\"OTHER\"/>", "<clear>x</clear>"));
        context.getLogger("shop").info("secret");
        context.stop();
        assertEquals(List.of("\"x\" in <clear> is unknown, and changes nothing\nhint: <clear>ex</clear>",
                "no appender is attached, so nothing is sent\nhint: <appender-ref ref=\"…\"/>"),
                LogFolder.statuses(context, Status.ERROR));
    }

    private static List<ILoggingEvent> sent(LoggerContext context) {
        SealedRecordAppender sealed = (SealedRecordAppender) context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("SEALED");
        return ((ListAppender<ILoggingEvent>) sealed.getAppender("OTHER")).list;
    }
}
