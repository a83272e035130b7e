package sealmark.log4j2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.message.MapMessage;
import org.apache.logging.log4j.message.MultiformatMessage;
import org.apache.logging.log4j.message.StringMapMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.Sealed;
import sealmark.log.Sealers;

/** The resolver {@code sealed} of JsonTemplateLayout, beside an appender whose template has the same in clear. */
class JsonTest {
    @TempDir
    static Path keys;

    private static Program program;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeKey() throws Exception {
        program = new Program(keys);
    }

    @AfterEach
    void clearContext() {
        ThreadContext.clearAll();
    }

    private Running log(String sealedTemplate, String clearTemplate) throws Exception {
        Files.writeString(folder.resolve("sealed.json"), sealedTemplate);
        Files.writeString(folder.resolve("clear.json"), clearTemplate);
        return Running.of(folder, """
                <Sealer recipient="%s"/>
                <Appenders>
                  <File name="sealed" fileName="FOLDER/sealed.log"><SealedLayout>
                    <JsonTemplateLayout eventTemplateUri="file:FOLDER/sealed.json" maxStringLength="100"
                        eventTemplateRootObjectKey="root">
                      <EventTemplateAdditionalField key="more" value="field"/>
                    </JsonTemplateLayout>
                  </SealedLayout></File>
                  <File name="clear" fileName="FOLDER/clear.log">
                    <JsonTemplateLayout eventTemplateUri="file:FOLDER/clear.json" maxStringLength="100"
                        eventTemplateRootObjectKey="root">
                      <EventTemplateAdditionalField key="more" value="field"/>
                    </JsonTemplateLayout>
                  </File>
                </Appenders>
                <Loggers><Root level="info"><AppenderRef ref="sealed"/><AppenderRef ref="clear"/></Root></Loggers>
                """.formatted(program.recipient));
    }

    private String sealed() {
        return Program.text(folder.resolve("sealed.log"));
    }

    private String clear() {
        return Program.text(folder.resolve("clear.log"));
    }

    private String open() throws Exception {
        return program.open(folder.resolve("sealed.log"));
    }

    @Test
    void sealsWhatOtherResolversWrite() throws Exception {
        try (Running log = log("""
                {"level": {"$resolver": "level", "field": "name"},
                 "email": {"$resolver": "sealed", "of": "mdc", "key": "email"},
                 "text": {"$resolver": "sealed", "of": "message", "stringified": true, "label": "the message"},
                 "why": {"$resolver": "sealed", "of": "exception", "field": "message", "label": "why"},
                 "stack": {"$resolver": "sealed", "of": "exception", "field": "stackTrace", "label": "stack",
                           "stackTrace": {"stringified": true}}}
                """, """
                {"level": {"$resolver": "level", "field": "name"},
                 "email": {"$resolver": "mdc", "key": "email"},
                 "text": {"$resolver": "message", "stringified": true},
                 "why": {"$resolver": "exception", "field": "message"},
                 "stack": {"$resolver": "exception", "field": "stackTrace", "stackTrace": {"stringified": true}}}
                """)) {
            ThreadContext.put("email", "mallory\"\\/\b\f\n\r\t\u0001\u001f\u007fgrüße\ud83d\ude00~s1a~x~");
            log.logger().info("clear", new IllegalStateException("clear"));
            ThreadContext.put("email", "");
            log.logger().info("clear {}", "clear".repeat(100));
            ThreadContext.clearAll();
            log.logger().info("", new IllegalStateException());
            assertEquals("", log.complaints());
        }
        List<String> lines = sealed().lines().toList();
        assertTrue(lines.get(0).startsWith("{\"sealmark\":\"~s1h~"), lines.get(0));
        assertTrue(lines.get(1).contains("\"text\":\"~s1a~the_message~"), lines.get(1));
        assertTrue(lines.get(1).contains("\"stack\":\"~s1a~stack~"), lines.get(1));
        for (String secret : List.of("mallory", "clear", "Illegal")) {
            assertFalse(sealed().contains(secret), sealed());
        }
        assertTrue(clear().contains("\\u001F"), clear());
        assertTrue(lines.get(1).contains("\"email\":\"~s1j~email~"), lines.get(1));
        assertEquals(clear(), open());
        program.verify(folder.resolve("sealed.log"));
    }

    @Test
    void whatIsNoStringOpensAsItWas() throws Exception {
        try (Running log = log("""
                {"line": {"$resolver": "sealed", "of": "level", "field": "severity", "severity": {"field": "code"}},
                 "one": {"$resolver": "sealed", "of": "map", "key": "one"},
                 "map": {"$resolver": "sealed", "of": "map", "label": "map"}}
                """, """
                {"line": {"$resolver": "level", "field": "severity", "severity": {"field": "code"}},
                 "one": {"$resolver": "map", "key": "one"},
                 "map": {"$resolver": "map"}}
                """)) {
            for (Object one : List.of(31337, -0.5, 1e300, true, new BigDecimal("1E+3"), "31337", "\u001f\\u001F")) {
                log.logger().info(new MapMessage<>().with("one", one).with("list", List.of("secret", 17)));
            }
            assertEquals("", log.complaints());
        }
        assertFalse(sealed().contains("secret") || sealed().contains("31337"), sealed());
        assertEquals(clear(), open());
        String first = sealed().lines().skip(1).findFirst().orElseThrow();
        assertTrue(first.contains("\"line\":\"~s1j~severity~"), first);
        assertTrue(first.contains("\"one\":\"~s1j~one~") && first.contains("\"map\":\"~s1j~map~"), first);
        program.verify(folder.resolve("sealed.log"));
    }

    @Test
    void whatHasSealedValuesInItIsSealedAsItsText() throws Exception {
        try (Running log = log("""
                {"map": {"$resolver": "sealed", "of": "map", "label": "map"},
                 "nothing": {"$resolver": "sealed", "of": "marker", "field": "name"}}
                """, "{}")) {
            log.logger().info(new MapMessage<>().with("number", 17).with("of", Sealed.of("inner", "secret")));
        }
        String opened = open();
        assertFalse(opened.contains("nothing"), opened);
        assertFalse(sealed().contains("secret") || sealed().contains("number"), sealed());
        // The token in it stays as it is and opens, too.
        assertTrue(opened.contains("\"map\":\"{\\\"number\\\":17,\\\"of\\\":\\\"secret\\\"}\""), opened);
        program.verify(folder.resolve("sealed.log"));
    }

    @Test
    void whatIsNoJsonOnOneLineOpensAsAString() throws Exception {
        try (Running log = log("""
                {"one": {"$resolver": "sealed", "of": "map", "key": "one"},
                 "text": {"$resolver": "sealed", "of": "message", "label": "text"}}
                """, "{}")) {
            log.logger().info(new MapMessage<>().with("one", Double.NaN));
            log.logger().info(new MapMessage<>().with("one", Float.NEGATIVE_INFINITY));
            log.logger().info(new OnTwoLines());
            assertEquals("", log.complaints());
        }
        assertFalse(sealed().contains("NaN") || sealed().contains("Infinity") || sealed().contains("secret"), sealed());
        assertEquals(5, sealed().lines().count(), sealed());
        assertEquals("""
                {"root":{"one":"NaN","text":"{\\"one\\":NaN}","more":"field"}}
                {"root":{"one":"-Infinity","text":"{\\"one\\":-Infinity}","more":"field"}}
                {"root":{"text":"{\\"of\\":\\n\\"secret\\"}","more":"field"}}
                """, open());
        program.verify(folder.resolve("sealed.log"));
    }

    /** JSON that its writer made pretty. */
    private static final class OnTwoLines implements MultiformatMessage {
        private static final long serialVersionUID = 1;

        @Override
        public String getFormattedMessage(String[] formats) {
            return getFormattedMessage();
        }

        @Override
        public String getFormattedMessage() {
            return "{\"of\":\n\"secret\"}";
        }

        @Override
        public String[] getFormats() {
            return new String[] {"JSON"};
        }

        @Override
        public Object[] getParameters() {
            return new Object[0];
        }

        @Override
        public Throwable getThrowable() {
            return null;
        }
    }

    @Test
    void jsonWithSealedNumbersInItOpens() throws Exception {
        try (Running log = log("""
                {"text": {"$resolver": "sealed", "of": "message", "stringified": true}}
                """, "{}")) {
            String number = "{\"n\":\"" + Sealed.of("n", 313373133).toJsonToken() + "\"}";
            log.logger().info(number);
            log.logger().info("{\"parcel\":\"" + number.replace("\"", "\\\"") + "\"}");
            assertEquals("", log.complaints());
        }
        String[] texts = {"{\\\"n\\\":313373133}",
                "{\\\"parcel\\\":\\\"{\\\\\\\"n\\\\\\\":313373133}\\\"}"};
        List<String> opened = open().lines().toList();
        assertEquals(texts.length, opened.size());
        for (int line = 0; line < texts.length; line++) {
            assertEquals("{\"root\":{\"text\":\"" + texts[line] + "\",\"more\":\"field\"}}", opened.get(line));
        }
        assertFalse(sealed().contains("313373133") || sealed().contains("parcel"), sealed());
    }

    @Test
    void sealedValuesOfMapMessagesAreTokens() throws Exception {
        Sealed email = Sealed.of("email", "mallory@example.org");
        try (Running log = log("{\"message\": {\"$resolver\": \"message\"}}", "{}")) {
            log.logger().info(new MapMessage<>().with("email", email).with("number", 17));
            log.logger().info(new StringMapMessage().with("email", email.toString()));
            log.logger().info(email);
            assertEquals("", log.complaints());
        }
        assertFalse(sealed().contains("mallory"), sealed());
        assertEquals("""
                {"root":{"message":{"email":"mallory@example.org","number":17},"more":"field"}}
                {"root":{"message":{"email":"mallory@example.org"},"more":"field"}}
                {"root":{"message":"mallory@example.org","more":"field"}}
                """, open());
    }

    @Test
    void aWrongTemplateSealsToMarkersAndComplains() throws Exception {
        try (Running log = log("""
                {"a": {"$resolver": "sealed", "key": "email"},
                 "b": {"$resolver": "sealed", "of": "nobody", "key": "email"},
                 "c": {"$resolver": "sealed", "of": "sealed", "key": "email"},
                 "d": {"$resolver": "sealed", "of": {"$resolver": "mdc", "key": "email"}},
                 "e": {"$resolver": "sealed", "of": "mdc", "flatten": true},
                 "f": {"$resolver": "sealed", "of": "message", "stringified": true, "sealer": "nobody"}}
                """, "{}")) {
            ThreadContext.put("email", "secret");
            log.logger().info("secret");
            for (String wrong : List.of("\"\" is no", "\"nobody\" is no", "\"sealed\" is no", "\"flatten\" returns several values", "hint: ")) {
                assertTrue(log.complaints().contains(wrong), log.complaints());
            }
            assertEquals(5, Sealers.find("default").failed());
        }
        assertEquals("{\"root\":{\"a\":\"~s1x~email~\",\"b\":\"~s1x~email~\",\"c\":\"~s1x~email~\","
                + "\"d\":\"~s1x~value~\",\"e\":\"~s1x~mdc~\",\"f\":\"~s1x~message~\",\"more\":\"field\"}}\n", sealed());
    }

    @Test
    void anExceptionOfTheResolverInsideBecomesAMarker() throws Exception {
        try (Running log = log("{\"a\": {\"$resolver\": \"sealed\", \"of\": \"message\"}}", "{}")) {
            log.logger().info(new MapMessage<>().with("email", new Object() {
                @Override
                public String toString() {
                    throw new IllegalStateException("secret");
                }
            }));
            assertFalse(log.complaints().contains("secret"), log.complaints());
            assertEquals(1, Sealers.find("default").failed());
        }
        assertEquals("{\"root\":{\"a\":\"~s1x~message~\",\"more\":\"field\"}}\n", sealed());
    }
}
