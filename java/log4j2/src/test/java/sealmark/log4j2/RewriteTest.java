package sealmark.log4j2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.message.MapMessage;
import org.apache.logging.log4j.message.StringMapMessage;
import org.apache.logging.log4j.message.StructuredDataMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.Sealed;
import sealmark.log.Sealers;

/** {@code <SealingRewritePolicy>} in front of an appender whose layout knows nothing of seals. */
class RewriteTest {
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

    private String configuration(String attributes) {
        return """
                <Sealer recipient="%s"/>
                <Appenders>
                  <File name="app" fileName="FOLDER/app.log">
                    <SealedLayout><PatternLayout pattern="%%X{email} %%X{clear} %%m%%n%%ex"/></SealedLayout>
                  </File>
                  <Rewrite name="sealing">
                    <SealingRewritePolicy %s/>
                    <AppenderRef ref="app"/>
                  </Rewrite>
                </Appenders>
                <Loggers><Root level="info"><AppenderRef ref="sealing"/></Root></Loggers>
                """.formatted(program.recipient, attributes);
    }

    private String text() {
        return Program.text(folder.resolve("app.log"));
    }

    private List<String> opened() throws Exception {
        return program.open(folder.resolve("app.log")).lines().toList();
    }

    @Test
    void sealsKeysOfTheContextAndOfMaps() throws Exception {
        try (Running log = Running.of(folder, configuration("keys=\"email, e mail phone,email\""))) {
            ThreadContext.put("email", "secret one");
            ThreadContext.put("clear", "as it is");
            log.logger().info("m");
            log.logger().info(new StringMapMessage().with("phone", "secret two").with("other", "o"));
            log.logger().info(new MapMessage<>().with("phone", List.of("secret", 3)).with("other", 7));
            log.logger().info(new StructuredDataMessage("id@1", "m", "type")
                    .with("phone", "secret \"four\"]").with("other", "o"));
            log.logger().info(new MapMessage<>().with("phone", Sealed.of("inner", "secret five")));
            assertEquals("", log.complaints());
        }
        assertFalse(text().contains("secret"), text());
        assertTrue(text().contains("~s1a~email~") && text().contains("~s1a~phone~"), text());
        assertEquals(List.of(
                "secret one as it is m",
                "secret one as it is other=\"o\" phone=\"secret two\"",
                "secret one as it is other=\"7\" phone=\"[secret, 3]\"",
                "secret one as it is type [id@1 other=\"o\" phone=\"secret \"four\"]\"] m",
                "secret one as it is phone=\"secret five\""), opened());
        program.verify(folder.resolve("app.log"));
    }

    @Test
    void sealsExceptions() throws Exception {
        try (Running log = Running.of(folder, configuration("exceptions=\"true\""))) {
            Exception thrown = new IllegalStateException("secret", new RuntimeException((String) null));
            thrown.addSuppressed(new IllegalArgumentException("secret too"));
            log.logger().info("m", thrown);
        }
        assertFalse(text().contains("secret"), text());
        String all = String.join("\n", opened());
        String name = "sealmark.log4j2.SealedThrowable: java.lang.";
        assertTrue(all.contains(name + "IllegalStateException: secret\n\tat sealmark.log4j2.RewriteTest"), all);
        assertTrue(all.contains("Suppressed: " + name + "IllegalArgumentException: secret too"), all);
        assertTrue(all.contains("Caused by: " + name + "RuntimeException\n"), all);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sealsParameters(boolean asynchronous) throws Exception {
        String configuration = configuration("parameters=\"true\"");
        try (Running log = asynchronous
                ? Running.asynchronous(folder, configuration) : Running.of(folder, configuration)) {
            log.logger().info("one {} and {}{}", "secret", 17, new Object[] {"secret", new int[] {1, 2}});
            log.logger().info("{} {} {} {} {} {} {} {} {} {} {}", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "secret");
            log.logger().info("inner {}", Sealed.of("inner", "secret"));
            log.logger().printf(Level.INFO, "printed %s", "secret");
            log.logger().printf(Level.INFO, "printed %s", Sealed.of("inner", "secret"));
            log.logger().info("none");
            log.logger().info("null {}", (Object) null);
            assertEquals("", log.complaints());
        }
        assertFalse(text().contains("secret"), text());
        assertTrue(text().contains("one ~s1a~parameter~") && text().contains("inner ~s1a~inner~"), text());
        assertEquals(List.of("  one secret and 17[secret, [1, 2]]", "  1 2 3 4 5 6 7 8 9 10 secret", "  inner secret",
                "  printed secret", "  printed secret", "  none", "  null null"), opened());
    }

    @Test
    void keysAreFoundInWhateverCaseAndDepth() throws Exception {
        Map<String, Object> cyclic = new LinkedHashMap<>();
        cyclic.put("EMail", "secret");
        cyclic.put("list", List.of(Map.of("EMAIL", "secret"), new Object[] {Map.of("email", List.of("secret"))}, 7));
        cyclic.put("self", cyclic);
        try (Running log = Running.of(folder, configuration("keys=\"email\""))) {
            ThreadContext.put("eMail", "secret");
            log.logger().info(new MapMessage<>().with("user", cyclic).with("other", Map.of("a", 1)));
            log.logger().info(new StringMapMessage().with("Email", "secret"));
        }
        assertFalse(text().contains("secret"), text());
        assertEquals(4, text().split("~s1a~email~", -1).length - 1, text());
        String all = String.join("\n", opened());
        assertTrue(all.contains("EMail=secret, list=[{EMAIL=secret}, [{email=[secret]}], 7]"), all);
        assertTrue(all.contains("other=\"{a=1}\""), all);
        assertTrue(all.contains("Email=\"secret\""), all);
        program.verify(folder.resolve("app.log"));
    }

    @Test
    void keysMayBePathsAndHaveWildcards() throws Exception {
        try (Running log = Running.of(folder, configuration("keys='order.card, e*l'"))) {
            ThreadContext.put("email", "secret");
            log.logger().info(new MapMessage<>().with("order", Map.of("card", "secret")).with("card", "as it is"));
            assertEquals("", log.complaints());
        }
        assertFalse(text().contains("secret"), text());
        assertTrue(text().contains("~s1a~email~") && text().contains("~s1a~order.card~"), text());
        assertEquals(List.of("secret  card=\"as it is\" order=\"{card=secret}\""), opened());
        program.verify(folder.resolve("app.log"));
    }

    @Test
    void whatNoLayoutWritesIsNotSealed() throws Exception {
        String pattern = configuration("keys=\"email\" exceptions=\"true\"")
                .replace("%X{email} %X{clear} %m%n%ex", "%p %X{phone}none%n%ex{none}");
        try (Running log = Running.of(folder, pattern)) {
            ThreadContext.put("email", "secret");
            log.logger().info("of {}", "secret", new Exception("secret"));
            log.logger().info(new MapMessage<>().with("email", "secret"));
            assertEquals(0, Sealers.find("default").sealed());
            assertEquals("", log.complaints());
        }
        assertEquals("INFO none\nINFO none\n", text());
    }

    /** Lookups cast to strings. */
    @Test
    void lookupsFindTokens() throws Exception {
        String pattern = configuration("keys=\"email\"").replace("%X{email} %X{clear}", "$${ctx:email}");
        try (Running log = Running.of(folder, pattern)) {
            ThreadContext.put("email", "secret");
            log.logger().info("m");
            assertEquals("", log.complaints());
        }
        assertFalse(text().contains("secret"), text());
        assertEquals(List.of("secret m"), opened());
        program.verify(folder.resolve("app.log"));
    }

    @Test
    void anExceptionBehindTheParametersStays() throws Exception {
        try (Running log = Running.of(folder, configuration("parameters=\"true\" exceptions=\"true\""))) {
            log.logger().error("of {}", "secret", new IllegalStateException("secret too"));
            log.logger().error("of {} and {}", "secret", new IllegalStateException("secret too"));
            assertEquals("", log.complaints());
        }
        assertFalse(text().contains("secret"), text());
        String all = String.join("\n", opened());
        assertTrue(all.contains("  of secret\nsealmark.log4j2.SealedThrowable: java.lang.IllegalStateException: secret too"
                + "\n\tat sealmark.log4j2.RewriteTest"), all);
        assertTrue(all.contains("  of secret and java.lang.IllegalStateException: secret too"), all);
        program.verify(folder.resolve("app.log"));
    }

    @Test
    void whatCannotBeSealedIsNotWritten() throws Exception {
        try (Running log = Running.of(folder, configuration("keys=\"email\" sealer=\"nobody\""))) {
            ThreadContext.put("email", "secret");
            log.logger().info(new MapMessage<>().with("email", new Object() {
                @Override
                public String toString() {
                    throw new IllegalStateException("secret");
                }
            }));
            log.logger().info("m");
            assertFalse(log.complaints().contains("secret"), log.complaints());
        }
        assertFalse(text().contains("secret"), text());
        assertTrue(text().endsWith("~s1x~email~  m\n"), text());
    }

    @Test
    void markersForWhatThrowsAreCounted() throws Exception {
        try (Running log = Running.of(folder, configuration("parameters=\"true\" exceptions=\"true\""))) {
            log.logger().info(new Broken.Text());
            assertEquals(1, Sealers.find("default").failed());
            log.logger().info("m", new Broken.Words());
            assertEquals(2, Sealers.find("default").failed());
            assertEquals("java.lang.IllegalStateException", Sealers.find("default").lastFailure());
        }
        assertFalse(text().contains("secret"), text());
    }

    @Test
    void aDoubtfulSettingSealsAndComplains() throws Exception {
        try (Running log = Running.of(folder, configuration("parameters=\"yes\""))) {
            log.logger().info("one {}", "secret");
            assertTrue(log.complaints().contains("parameters=\"yes\" is neither true nor false, and is read as true"), log.complaints());
        }
        assertFalse(text().contains("secret"), text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "keys=' , ' exceptions='false' parameters='FALSE'", "key='email' exceptions='true'",
        "keys='${env:NOBODY_SET_THIS}' parameters='true'"})
    void everythingIsSealedWhereNothingIsChosen(String attributes) throws Exception {
        String pattern = configuration(attributes).replace("%X{email} %X{clear} %m", "%p %c %X %x %m");
        try (Running log = Running.of(folder, pattern)) {
            ThreadContext.put("user", "secret 1");
            ThreadContext.push("secret 2");
            log.logger().info("secret 3");
            log.logger().info("of {}", Sealed.of("inner", "secret 4"), new IllegalStateException("secret 5"));
            ThreadContext.clearAll();
            log.logger().info(new MapMessage<>().with("email", List.of("secret 6")));
            log.logger().info(new StructuredDataMessage("id@1", "secret 7", "type").with("phone", "secret 8"));
            log.logger().info(Map.of("name", "secret 9"));
            log.logger().info("");
            assertTrue(log.complaints().contains(", so everything is sealed\nhint: "), log.complaints());
        }
        assertFalse(text().contains("secret") || text().contains("phone"), text());
        assertTrue(text().contains("INFO app {user=~s1a~user~") && text().contains("[~s1a~ndc~"), text());
        assertEquals(1, text().split("~s1a~inner~", -1).length - 1, text());
        List<String> opened = opened().stream().filter(line -> !line.startsWith("\tat ")).toList();
        assertEquals(List.of(
                "INFO app {user=secret 1} [secret 2] secret 3",
                "INFO app {user=secret 1} [secret 2] of secret 4",
                "sealmark.log4j2.SealedThrowable: java.lang.IllegalStateException: secret 5",
                "INFO app {} [] email=\"[secret 6]\"",
                "INFO app {} [] type [id@1 phone=\"secret 8\"] secret 7",
                "INFO app {} [] {name=secret 9}",
                "INFO app {} [] "), opened);
        program.verify(folder.resolve("app.log"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', ignoreLeadingAndTrailingWhitespace = false, value = {
        "``; names nothing to seal",
        "key='email' exceptions='true';: unknown setting or variable \"key\"",
        "keys='phone, ${env:NOBODY_SET_THIS}';: unknown setting or variable \"${env:NOBODY_SET_THIS}\"",
    })
    void whatIsWrongIsNamed(String attributes, String complaint) throws Exception {
        try (Running log = Running.of(folder, configuration(attributes))) {
            assertTrue(log.complaints().contains("<SealingRewritePolicy>" + complaint), log.complaints());
        }
    }

    @Test
    void elementsAreNotKnown() throws Exception {
        String wrong = "exceptions='true'><Property name='keys'>email</Property></SealingRewritePolicy>";
        String configuration = configuration("exceptions='true'").replace("exceptions='true'/>", wrong);
        try (Running log = Running.of(folder, configuration)) {
            ThreadContext.put("email", "secret");
            log.logger().info("m");
            assertTrue(log.complaints().contains("<SealingRewritePolicy>: unknown setting or variable \"Property\""), log.complaints());
        }
        assertFalse(text().contains("secret"), text());
    }

    /** Applications put tokens where only texts have a place. */
    @Test
    void tokensThatAreTextsAreNotSealedAgain() throws Exception {
        for (String attributes : List.of("keys='email' exceptions='true' parameters='true'", "")) {
            try (Running log = Running.of(folder, configuration(attributes))) {
                ThreadContext.put("email", Sealed.of("email", "secret@x").toString());
                ThreadContext.put("clear", "");
                log.logger().info("user {}", "named " + Sealed.of("user", "secret"),
                        new IllegalStateException("no such user " + Sealed.of("user", "secret")));
                ThreadContext.clearAll();
            }
            String text = Program.text(folder.resolve("app.log"));
            assertFalse(text.contains("secret"), text);
            String opened = program.open(folder.resolve("app.log"));
            assertTrue(opened.startsWith("secret@x  user named secret\n") && opened.contains("no such user secret\n"), opened);
            program.verify(folder.resolve("app.log"));
            Files.delete(folder.resolve("app.log"));
        }
    }

    /** Another appender may have made Log4j remember how the exception is written. */
    @Test
    void whatAnotherAppenderMadeOfAnExceptionIsNotWritten() throws Exception {
        String configuration = """
                <Sealer recipient="%s"/>
                <Appenders>
                  <File name="clear" fileName="FOLDER/clear.txt"><PatternLayout pattern="%%m%%n%%xEx"/></File>
                  <File name="app" fileName="FOLDER/app.log">
                    <SealedLayout><PatternLayout pattern="%%m%%n%%xEx"/></SealedLayout>
                  </File>
                  <Rewrite name="sealing">
                    <SealingRewritePolicy exceptions="true"/>
                    <AppenderRef ref="app"/>
                  </Rewrite>
                </Appenders>
                <Loggers><Root level="info"><AppenderRef ref="clear"/><AppenderRef ref="sealing"/></Root></Loggers>
                """.formatted(program.recipient);
        try (Running log = Running.of(folder, configuration)) {
            log.logger().info("one", new IllegalStateException("secret"));
        }
        String text = Program.text(folder.resolve("app.log"));
        assertFalse(text.contains("secret"), text);
    }
}
