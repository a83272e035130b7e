package sealmark.logback;

import static net.logstash.logback.argument.StructuredArguments.kv;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.status.Status;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import net.logstash.logback.argument.StructuredArgument;
import net.logstash.logback.decorate.JsonGeneratorDecorator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import sealmark.log.Sealed;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.filter.FilteringGeneratorDelegate;
import tools.jackson.core.filter.TokenFilter;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.TokenBuffer;

/** Asking arguments before their line is written changes neither them nor other logs. */
class LogstashQuestionsTest {
    private static final String SEALED = "sealmark.logback.SealedFileAppender";
    private static final String FIELDS =
            "<decorator class='sealmark.logback.SealedFields'><field>email</field></decorator>";
    private static final String MASKER = "<decorator class='net.logstash.logback.mask.MaskingJsonGeneratorDecorator'>"
            + "<valueMasker class='sealmark.logback.SealedFields'><field>email</field></valueMasker></decorator>";
    private static final String OTHER_MASKER =
            "<decorator class='net.logstash.logback.mask.MaskingJsonGeneratorDecorator'>"
            + "<path>password</path></decorator>";
    private static final String FILTER =
            "<decorator class='sealmark.logback.LogstashQuestionsTest$Filter'/>";

    @RegisterExtension
    final LogFolder logs = new LogFolder();

    @ParameterizedTest
    @ValueSource(strings = {SEALED, "ch.qos.logback.core.FileAppender"})
    void whatAnArgumentLogsWhenItIsAskedIsComplete(String appender) {
        LoggerContext context = logs.configure(LogFolder.SEALER
                + log("outer", SEALED, FIELDS) + log("inner", appender, FIELDS));
        Logger inner = context.getLogger("inner");
        context.getLogger("outer").info("login {}", kv("user", new Talking("clear", () ->
                inner.info("seen", kv("email", "secret 1"), kv("card", Sealed.of("card", "secret 2"))))));
        List<String> errors = LogFolder.statuses(context, Status.WARN);
        assertEquals(appender.equals(SEALED) ? 0 : 1, errors.size(), errors::toString);
        assertTrue(errors.stream().allMatch(error -> error.contains("is not inside a Sealmark appender")), errors::toString);
        context.stop();
        String log = logs.text("inner.log");
        assertFalse(log.contains("\"email\":\"\"") || log.contains("\"card\":null"), log);
        logs.assertHidden(List.of("secret"), "outer.log", "inner.log");
        if (appender.equals(SEALED)) {
            String both = "\"email\":\"secret 1\",\"card\":\"secret 2\"";
            assertEquals(2, logs.opened("inner.log").split(both, -1).length - 1, log);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, DECORATOR", "true, MASKER", "false, DECORATOR", "false, MASKER"})
    void anArgumentIsSealedThoughItLogsArgumentsItself(boolean isSecretThere, String how) {
        String decorator = how.equals("MASKER") ? MASKER : FIELDS;
        LoggerContext context = logs.configure(LogFolder.SEALER
                + log("outer", SEALED, decorator) + log("inner", SEALED, decorator));
        Logger inner = context.getLogger("inner");
        context.getLogger("outer").info("login {}", kv("user", new Talking("secret", () ->
                inner.info("seen {}", isSecretThere ? kv("email", "secret") : kv("user", "clear")))));
        LogFolder.assertNoErrors(context);
        context.stop();
        logs.assertHidden(List.of("secret"), "outer.log", "inner.log");
        assertTrue(logs.text("outer.log").contains("login user=~s1a~user~"), logs.text("outer.log"));
        assertTrue(logs.opened("outer.log").contains("login user=secret"), logs.text("outer.log"));
    }

    @ParameterizedTest
    @ValueSource(strings = {FILTER + FIELDS, FIELDS + FILTER, FILTER + MASKER, MASKER + FILTER})
    void whereOneCannotBeAskedAllIsSealedInMessages(String decorators) {
        LoggerContext context = logs.configure(LogFolder.SEALER + log("outer", SEALED, decorators));
        context.getLogger("outer").info("login {}", kv("user", Map.of("email", "secret")));
        LogFolder.assertNoErrors(context);
        context.stop();
        logs.assertHidden(List.of("secret"), "outer.log");
        assertTrue(logs.opened("outer.log").contains("login user={email=secret}"), logs.opened("outer.log"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", OTHER_MASKER})
    void nothingIsAskedWithoutSealedFields(String decorators) {
        LoggerContext context = logs.configure(log("outer", SEALED, decorators));
        AtomicInteger asked = new AtomicInteger();
        context.getLogger("outer").info("{} {} {}", kv("ids", List.of(1, 2).iterator()),
                kv("more", Stream.of(3, 4)), kv("user", new Talking("hanako", asked::incrementAndGet)));
        LogFolder.assertNoErrors(context);
        context.stop();
        String log = logs.text("outer.log");
        assertTrue(log.contains("\"ids\":[1,2],\"more\":[3,4],\"user\":{"), log);
        assertTrue(log.contains("user=hanako"), log);
        assertEquals(1, asked.get());
    }

    @ParameterizedTest
    @ValueSource(strings = {FIELDS, MASKER})
    void whatCanBeReadOnceOnlyIsLeftToItsLine(String decorators) {
        LoggerContext context = logs.configure(LogFolder.SEALER + log("outer", SEALED, decorators));
        context.getLogger("outer").info("{} {} {}", kv("ids", List.of(1, 2).iterator()), kv("more", Stream.of(3, 4)),
                kv("user", Map.of("cards", List.of(Map.of("email", "secret")).iterator())));
        LogFolder.assertNoErrors(context);
        context.stop();
        logs.assertHidden(List.of("secret"), "outer.log");
        String opened = logs.opened("outer.log");
        assertTrue(opened.contains("\"ids\":[1,2],\"more\":[3,4],\"user\":{\"cards\":[{\"email\":\"secret\"}]}"), opened);
        assertTrue(logs.text("outer.log").contains("\"message\":\"ids=~s1a~ids~"), logs.text("outer.log"));
    }

    @ParameterizedTest
    @ValueSource(strings = {FIELDS, MASKER})
    void whatIsSealedByItsNameIsNotAsked(String decorators) {
        LoggerContext context = logs.configure(LogFolder.SEALER + log("outer", SEALED, decorators));
        AtomicInteger asked = new AtomicInteger();
        context.getLogger("outer").info("{}", kv("email", new Talking("secret", asked::incrementAndGet)));
        LogFolder.assertNoErrors(context);
        context.stop();
        logs.assertHidden(List.of("secret"), "outer.log");
        assertTrue(logs.opened("outer.log").contains("\"message\":\"email=secret\""), logs.opened("outer.log"));
        assertEquals(1, asked.get());
    }

    @Test
    void nullIsInClear() {
        LoggerContext context = logs.configure(LogFolder.SEALER + log("outer", SEALED, FIELDS));
        context.getLogger("outer").info("{} {}", kv("email", null), kv("email", "null"));
        context.stop();
        String log = logs.text("outer.log");
        assertTrue(log.contains("\"message\":\"email=null email=~s1a~email~"), log);
    }

    @Test
    void whatHasNoTextIsAMarkerInMessages() {
        LoggerContext context = logs.configure(LogFolder.SEALER + log("outer", SEALED, FIELDS));
        context.getLogger("outer").info("{}", new Silent());
        List<String> told = LogFolder.statuses(context, Status.WARN);
        assertEquals(1, told.size(), told.toString());
        assertTrue(told.get(0).startsWith("a value was not sealed, and the log has the marker ~s1x~email~: toString of an"
                + " argument of the message failed\nhint: "), told.get(0));
        context.stop();
        logs.assertHidden(List.of("secret"), "outer.log");
        assertTrue(logs.text("outer.log").contains("\"message\":\"~s1x~email~\""), logs.text("outer.log"));
    }

    @Test
    void whatIsSealedInABufferOrByAnotherMapperIsNotMissed() {
        LoggerContext context = logs.configure(LogFolder.SEALER + log("outer", SEALED, FIELDS));
        context.getLogger("outer").info("{} {}", kv("user", new Buffered(Sealed.of("user", "secret"))),
                new OfOwnMapper());
        LogFolder.assertNoErrors(context);
        context.stop();
        logs.assertHidden(List.of("secret"), "outer.log");
        String opened = logs.opened("outer.log");
        assertTrue(opened.contains("\"user\":\"secret\",\"card\":\"secret\""), opened);
        logs.assertWhole("outer.log");
    }

    private static String log(String name, String appender, String decorators) {
        return "<appender name='" + name + "' class='" + appender + "'><file>FOLDER/" + name + ".log</file>"
                + "<encoder class='net.logstash.logback.encoder.LogstashEncoder'>" + decorators + "</encoder></appender>"
                + "<logger name='" + name + "' level='DEBUG'><appender-ref ref='" + name + "'/></logger>";
    }

    /** Does something when it is written. */
    @JsonPropertyOrder({"name", "email"})
    @JsonIgnoreProperties("what")
    record Talking(String email, Runnable what) {
        public String getName() {
            what.run();
            return "hanako";
        }

        @Override
        public String toString() {
            return email;
        }
    }

    /** Has a field, and a text that fails. */
    record Silent() implements StructuredArgument {
        @Override
        public void writeTo(JsonGenerator generator) {
            generator.writeName("email");
            generator.writeString("secret");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("secret");
        }
    }

    /** Is written to a buffer first. */
    @JsonSerialize(using = Buffering.class)
    record Buffered(Sealed card) {
        @Override
        public String toString() {
            return "";
        }
    }

    /** Writes to a buffer first. */
    static final class Buffering extends ValueSerializer<Buffered> {
        @Override
        public void serialize(Buffered value, JsonGenerator generator, SerializationContext context) {
            TokenBuffer buffer = context.bufferForValueConversion();
            context.writeValue(buffer, value.card());
            buffer.serialize(generator);
        }
    }

    /** Writes with a mapper of its own. */
    record OfOwnMapper() implements StructuredArgument {
        @Override
        public void writeTo(JsonGenerator generator) {
            generator.writeName("card");
            JsonMapper.builder().findAndAddModules().build().writeValue(generator, Sealed.of("card", "secret"));
        }
    }

    /** Names have another way to the top through it. */
    public static final class Filter implements JsonGeneratorDecorator {
        @Override
        public JsonGenerator decorate(JsonGenerator generator) {
            return new FilteringGeneratorDelegate(
                    generator, TokenFilter.INCLUDE_ALL, TokenFilter.Inclusion.INCLUDE_ALL_AND_PATH, true);
        }
    }
}
