package sealmark.logback;

import static java.nio.charset.StandardCharsets.UTF_8;
import static net.logstash.logback.argument.StructuredArguments.kv;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.util.StatusPrinter2;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logback's statuses, which are printed, have no value in clear where an encoder fails. */
class StatusesTest {
    private static final String FIELDS = "<encoder class='net.logstash.logback.encoder.LogstashEncoder'>"
            + "<decorator class='sealmark.logback.SealedFields'>"
            + "<field>message</field><field>email</field></decorator></encoder>";
    private static final String PATTERN = "<encoder><pattern>%sealed(%msg %broken){message}%nopex%n</pattern></encoder>";

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    @ParameterizedTest
    @ValueSource(strings = {FIELDS, PATTERN})
    void noneHasAValueInClear(String encoder) {
        LoggerContext context = configure(encoder, Broken.class);
        context.getLogger("a").info(
                "secret {}", kv("email", new Bean(StatusesTest::tell)), new IllegalStateException("secret"));
        String said = statuses(context);
        context.stop();
        assertTrue(said.contains("[SEALED] failed to append"), said);
        assertTrue(said.contains(IllegalArgumentException.class.getName()), said);
        assertTrue(said.contains("StatusesTest.java:"), said);
        assertFalse(said.contains("secret"), said);
        logs.assertHidden(List.of("secret"), "sealed.log");
    }

    @ParameterizedTest
    @ValueSource(strings = {FIELDS, PATTERN})
    void valuesWithoutEndFailAsOthersDo(String encoder) {
        LoggerContext context = configure(encoder, Endless.class);
        context.getLogger("a").info("secret", kv("user", new Bean(() -> {
            throw new StackOverflowError("secret");
        })));
        String said = statuses(context);
        context.stop();
        assertTrue(said.contains("[SEALED] failed to append"), said);
        assertFalse(said.contains("secret"), said);
    }

    private LoggerContext configure(String encoder, Class<?> broken) {
        return logs.configure("<conversionRule conversionWord='broken' class='" + broken.getName() + "'/>"
                + LogFolder.SEALER
                + "<appender name='SEALED' class='sealmark.logback.SealedFileAppender'><file>FOLDER/sealed.log</file>"
                + encoder + "</appender><root level='DEBUG'><appender-ref ref='SEALED'/></root>");
    }

    private static void tell() {
        throw new IllegalArgumentException("no address: secret", new IOException("secret"));
    }

    private static String statuses(LoggerContext context) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        StatusPrinter2 printer = new StatusPrinter2();
        printer.setPrintStream(new PrintStream(printed, true, UTF_8));
        printer.print(context);
        return printed.toString(UTF_8);
    }

    /** Tells what it should not. */
    record Bean(Runnable told) {
        public String getEmail() {
            told.run();
            return "";
        }
    }

    /** The same for patterns. */
    public static final class Broken extends ClassicConverter {
        @Override
        public String convert(ILoggingEvent event) {
            throw new IllegalArgumentException("no address: " + event.getFormattedMessage());
        }
    }

    /** Fails as if it called itself. */
    public static final class Endless extends ClassicConverter {
        @Override
        public String convert(ILoggingEvent event) {
            throw new StackOverflowError(event.getFormattedMessage());
        }
    }
}
