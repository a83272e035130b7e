package sealmark.logback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThrowablesTest {
    private static final String LOGS = LogFolder.SEALER + """
            <appender name="SEALED" class="sealmark.logback.SealedFileAppender">
              <file>FOLDER/sealed.log</file>
              <encoder><pattern>%msg%nWORD</pattern></encoder>
            </appender>
            <appender name="TWIN" class="ch.qos.logback.core.FileAppender">
              <file>FOLDER/twin.log</file>
              <encoder><pattern>%msg%nTWIN_WORD</pattern></encoder>
            </appender>
            <root level="DEBUG"><appender-ref ref="SEALED"/><appender-ref ref="TWIN"/></root>
            """;

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    @Test
    void messagesOfExceptionsAreSealedAndNothingElse() {
        LoggerContext context = configure("%sealedEx", "%ex");
        context.getLogger("a").error("failed", failure());
        context.getLogger("a").error("failed", new OwnText());
        context.getLogger("a").error("failed", new Nameless());
        context.getLogger("a").error("failed", new IllegalStateException());
        context.getLogger("a").info("not failed");
        assertOpensToTwin(context);

        String log = logs.text("sealed.log");
        assertTrue(log.contains("\nCaused by: java.io.IOException: ~s1a~exception~"), log);
        assertTrue(log.contains("\n\tSuppressed: java.lang.IllegalArgumentException: ~s1a~exception~"), log);
        assertTrue(log.contains("[CIRCULAR REFERENCE: java.io.UncheckedIOException: ~s1a~exception~"), log);
        assertTrue(log.contains("\n\tat sealmark.logback.ThrowablesTest.failure(ThrowablesTest.java:"), log);
        assertTrue(log.contains("\n" + OwnText.class.getName() + "~s1a~exception~"), log);
        assertTrue(Pattern.compile("^~s1a~exception~\\S+\n\tat ", Pattern.MULTILINE).matcher(log).find(), log);
        assertTrue(log.contains("\njava.lang.IllegalStateException\n"), log);
    }

    @Test
    void optionsAreThoseOfLogback() {
        LoggerContext context = configure("%sealedEx{2, sealmark, label=error}", "%ex{2, sealmark}");
        context.getLogger("a").error("failed", failure());
        assertOpensToTwin(context);
        assertTrue(logs.text("sealed.log").contains("UncheckedIOException: ~s1a~error~"), logs.text("sealed.log"));
    }

    @Test
    void wholeExceptionsAreSealedInParentheses() {
        LoggerContext context = configure("%sealed(%ex){exception}%n", "%ex%n");
        context.getLogger("a").error("failed", failure());
        assertOpensToTwin(context);
    }

    /** Logback adds {@code %ex} to such patterns, in clear. */
    @ParameterizedTest
    @CsvSource({"%sealed(%msg){message}%n, %msg%n", "%sealed(%level) %sealed(%msg){message}%n, %level %msg%n",
        "%-1(%sealed(%msg){message}%n), %-1(%msg%n)", "%sealed{user}%msg%n, %msg%n"})
    void aPatternWithoutAWordForExceptionsSealsThem(String sealing, String plain) {
        LoggerContext context = logs.configure(
                LOGS.replace("%msg%nTWIN_WORD", plain).replace("%msg%nWORD", sealing));
        context.getLogger("a").error("failed", failure());
        context.getLogger("a").info("not failed");
        context.stop();
        assertTrue(logs.text("twin.log").contains("secret \"argument"));
        assertEquals(logs.text("twin.log"), logs.opened("sealed.log"));
        logs.assertWhole("sealed.log");
        logs.assertHidden(List.of("secret"), "sealed.log");
    }

    @Test
    void aWordForExceptionsIsTheOnlyOne() {
        for (String word : List.of("%sealedEx", "%nopex", "%ex{short}")) {
            LoggerContext context = logs.configure(LOGS.replace("%msg%nTWIN_WORD", "%msg%n" + word.replace("sealedEx", "ex"))
                    .replace("%msg%nWORD", "%sealed(%msg){message}%n" + word));
            context.getLogger("a").error("failed", failure());
            context.stop();
            assertEquals(logs.text("twin.log"), logs.opened("sealed.log"));
        }
    }

    @Test
    void aMessageIsSealedOnceHoweverOftenItIsAskedFor() {
        AtomicInteger sealed = new AtomicInteger();
        UnaryOperator<String> seal = message -> message + sealed.incrementAndGet();
        SealedThrowable message = new SealedThrowable(new ThrowableProxy(new IllegalStateException("a")), seal);
        SealedThrowable text = new SealedThrowable(new ThrowableProxy(new OwnText()), seal);
        assertEquals("a1 a1", message.getMessage() + " " + message.getMessage());
        assertEquals(text.getOverridingMessage(), text.getOverridingMessage());
        assertEquals(2, sealed.get());
    }

    private static Exception failure() {
        IOException cause = new IOException("secret cause\nof two lines");
        UncheckedIOException failure = new UncheckedIOException("secret failure", cause);
        cause.addSuppressed(new IllegalArgumentException("secret \"argument\""));
        cause.initCause(failure);
        return failure;
    }

    private LoggerContext configure(String word, String twin) {
        return logs.configure(LOGS.replace("TWIN_WORD", twin).replace("WORD", word));
    }

    private void assertOpensToTwin(LoggerContext context) {
        LogFolder.assertNoErrors(context);
        context.stop();
        assertTrue(logs.text("twin.log").contains("secret"));
        assertEquals(logs.text("twin.log"), logs.opened("sealed.log"));
        logs.assertWhole("sealed.log");
        logs.assertHidden(List.of("secret"), "sealed.log");
    }

    /** Begins with its class. */
    @SuppressWarnings("OverrideThrowableToString")
    private static final class OwnText extends Exception {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            return getClass().getName() + "[secret]";
        }
    }

    /** Says what it likes. */
    @SuppressWarnings("OverrideThrowableToString")
    private static final class Nameless extends Exception {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            return "a secret failure";
        }
    }
}
