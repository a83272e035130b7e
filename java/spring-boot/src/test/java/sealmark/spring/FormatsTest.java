package sealmark.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import application.Twin;
import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.read.ListAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractCollection;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.testing.Canary;
import sealmark.testing.SealmarkProgram;

/** Every format opens to the lines that it would have written, wherever an event has a value; without Spring Boot's start. */
class FormatsTest {
    private static final String PATTERN = "%d %-5level [%thread] %logger : %m %X{email} %X %kvp%n%ex";

    @TempDir
    Path folder;

    private final LoggerContext logback = new LoggerContext();
    private final Logger logger = logback.getLogger("shop");

    @BeforeEach
    void makeKeys() throws Exception {
        Running.makeKeys(folder);
        logback.setMDCAdapter(MDC.getMDCAdapter());
        MDC.put("email", Canary.value());
        MDC.put("user.id", "tab\tand \u001b\u007f \u20ac");
        MDC.put("trace", "t1");
    }

    @AfterEach
    void end() {
        MDC.clear();
        logback.stop();
        Sealers.remove(Sealers.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource({", ", "ecs, ", "gelf, ", "logstash, ", "ecs, logging.structured.json.stacktrace.printer=standard",
            "logstash, logging.structured.json.stacktrace.root=first", "gelf, logging.structured.json.stacktrace.max-length=20000",
            "ecs, logging.structured.json.context.prefix=ctx"})
    void opensToItsTwin(String format, String property) throws Exception {
        begin(property, () -> file("app.log", format));
        twin("twin.log", format);
        logEverything();
        logback.stop();
        Canary.assertNone("the log", Files.readAllBytes(folder.resolve("app.log")));
        assertEquals(Files.readString(folder.resolve("twin.log")), opened("app.log"));
        SealmarkProgram.run(folder, "log", "verify", "-i", "key.txt", "--closed", "app.log");
    }

    @Test
    void namesMessage() throws Exception {
        begin("sealmark.seal=email,user.*,*.email,inner,message", () -> file("app.log", "ecs"));
        twin("twin.log", "ecs");
        logEverything();
        logger.info("joined by hand: " + Canary.value());
        logback.stop();
        Canary.assertNone("the log", Files.readAllBytes(folder.resolve("app.log")));
        assertEquals(Files.readString(folder.resolve("twin.log")), opened("app.log"));
    }

    @Test
    void behindAnAsyncAppenderToo() throws Exception {
        AsyncAppender async = new AsyncAppender();
        async.setContext(logback);
        async.setQueueSize(7);
        async.setDiscardingThreshold(0);
        async.addAppender(file("app.log", null));
        async.start();
        begin(null, () -> async);
        twin("twin.log", null);
        for (int times = 0; times < 20; times++) {
            logEverything();
        }
        logback.stop();
        assertEquals(Files.readString(folder.resolve("twin.log")), opened("app.log"));
    }

    /** Some values fail when somebody looks into them, and the pattern has none of them. */
    @Test
    void aValueThatNobodyCanLookIntoLosesNoLine() throws Exception {
        begin(null, () -> file("app.log", null));
        Collection<Object> failing = new AbstractCollection<>() {
            @Override
            public Iterator<Object> iterator() {
                throw new IllegalStateException(Canary.MARK);
            }

            @Override
            public int size() {
                return 1;
            }

            @Override
            public String toString() {
                return Canary.MARK;
            }
        };
        logger.atInfo().addKeyValue("order", failing).log("failing");
        Map<String, Object> cyclic = new LinkedHashMap<>();
        cyclic.put("one", cyclic);
        cyclic.put("two", cyclic);
        cyclic.put("inner", Canary.MARK);
        logger.atInfo().addKeyValue("order", cyclic).log("cyclic");
        Object deep = Map.of("inner", Canary.MARK);
        for (int depth = 0; depth < 200; depth++) {
            deep = depth % 2 == 0 ? List.of(deep) : Map.of("in", deep);
        }
        logger.atInfo().addKeyValue("order", deep).log("deep");
        logback.stop();
        Canary.assertNone("the log", Files.readAllBytes(folder.resolve("app.log")));
        String opened = opened("app.log");
        for (String part : List.of("order=\"" + Canary.MARK + "\"", "one=(this Map)", "inner=" + Canary.MARK)) {
            assertTrue(opened.contains(part), part + " in " + opened);
        }
    }

    /** The headers are records, too. */
    @Test
    void anAppenderOfOthersGetsTokensAndHeaders() throws Exception {
        ListAppender<ILoggingEvent> other = new ListAppender<>();
        other.setContext(logback);
        other.start();
        begin(null, () -> other);
        logger.atInfo().addKeyValue("contact.email", Canary.MARK).log("paid", new IllegalStateException(Canary.MARK));
        ILoggingEvent event = other.list.get(0);
        assertEquals("t1", event.getMDCPropertyMap().get("trace"));
        // Another thread may lay it out, later.
        String sent = event.getMDCPropertyMap().get("email") + "\n" + event.getThrowableProxy().getMessage() + "\n"
                + event.getKeyValuePairs().get(0).value + "\n";
        Canary.assertNone("the record", sent.getBytes(UTF_8));
        logback.stop();
        String headers = other.list.stream().filter(one -> one.getLoggerName().equals("sealmark"))
                .map(ILoggingEvent::getFormattedMessage).collect(Collectors.joining("\n"));
        Files.writeString(folder.resolve("sent.log"), sent + headers + "\n");
        assertTrue(opened("sent.log").contains(Canary.MARK + "\n" + Canary.MARK + "\n"), opened("sent.log"));
    }

    private void logEverything() {
        logger.info("paid, card={}", "no value");
        logger.atWarn().addKeyValue("contact.email", Canary.value()).addKeyValue("user.age", 41).addKeyValue("user.vip", true)
                .addKeyValue("user.score", 1.50).addKeyValue("user.list", List.of(1, Canary.value()))
                .addKeyValue("user.map", Map.of("name", Canary.value())).addKeyValue("user.none", (Object) null)
                .addKeyValue("amount", 1980).addKeyValue("order", Map.of("inner", Canary.value(), "items", List.of(1, 2)))
                .addKeyValue("orders", List.of(Map.of("inner", 7), Map.of("other", 8)))
                .addKeyValue("array", new Object[] {Map.of("inner", List.of(Canary.value()))}).log("slow");
        Exception inner = new IllegalStateException(Canary.value());
        Exception outer = new IllegalArgumentException("no user " + Canary.value(), inner);
        outer.addSuppressed(new java.io.IOException("disk of " + Canary.MARK));
        logger.error("refused", outer);
        logger.error("again", new IllegalStateException());
    }

    private void begin(String property, Supplier<Appender<ILoggingEvent>> appender) {
        Environment environment = environment(property);
        logback.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender.get());
        SealedLog.begin(logback, SealmarkProperties.of(environment));
        logback.start();
    }

    private Environment environment(String property) {
        Map<String, Object> all = new HashMap<>(Map.of("sealmark.recipients-file", folder.resolve("recipients.txt").toString(),
                "sealmark.seal", "email,user.*,*.email,inner", "spring.application.name", "shop"));
        if (property != null) {
            all.put(property.substring(0, property.indexOf('=')), property.substring(property.indexOf('=') + 1));
        }
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", all));
        logback.putObject(Environment.class.getName(), environment);
        return environment;
    }

    private FileAppender<ILoggingEvent> file(String name, String format) {
        FileAppender<ILoggingEvent> file = new FileAppender<>();
        file.setContext(logback);
        file.setName(name);
        file.setFile(folder.resolve(name).toString());
        file.setEncoder(Twin.encoder(logback, format, PATTERN));
        file.start();
        return file;
    }

    private void twin(String name, String format) {
        logback.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(file(name, format));
    }

    private String opened(String log) throws Exception {
        return new String(SealmarkProgram.run(folder, "log", "open", "-i", "key.txt", log), UTF_8);
    }
}
