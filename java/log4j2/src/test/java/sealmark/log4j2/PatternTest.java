package sealmark.log4j2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.Sealed;
import sealmark.log.Sealers;

/** {@code %sealed} and {@code %sealedEx}, beside an appender that writes the same in clear. */
class PatternTest {
    @TempDir
    static Path keys;

    private static Program program;

    @TempDir
    Path folder;

    private Path sealed;
    private Path clear;

    @BeforeAll
    static void makeKey() throws Exception {
        program = new Program(keys);
    }

    @BeforeEach
    void nameLogs() {
        sealed = folder.resolve("sealed.log");
        clear = folder.resolve("clear.log");
    }

    @AfterEach
    void clearContext() {
        ThreadContext.clearAll();
    }

    private Running log(String sealedPattern, String clearPattern) throws Exception {
        return Running.of(folder, configuration(sealedPattern, clearPattern));
    }

    private static String configuration(String sealedPattern, String clearPattern) {
        return """
                <Sealer recipient="%s"/>
                <Sealer name="other" recipient="%s"/>
                <Appenders>
                  <File name="sealed" fileName="FOLDER/sealed.log">
                    <SealedLayout><PatternLayout pattern="%s"/></SealedLayout>
                  </File>
                  <File name="clear" fileName="FOLDER/clear.log"><PatternLayout pattern="%s"/></File>
                </Appenders>
                <Loggers><Root level="info"><AppenderRef ref="sealed"/><AppenderRef ref="clear"/></Root></Loggers>
                """.formatted(program.recipient, program.recipient, sealedPattern, clearPattern);
    }

    private void assertOpensToClear() throws Exception {
        assertEquals(Program.text(clear), program.open(sealed));
        program.verify(sealed);
    }

    @Test
    void sealsWhatPatternsWrite() throws Exception {
        try (Running log = log("%p %sealed{%X{email}}{email} %sealed{%.9m}{message}{other} %sealed{%c}%n",
                "%p %X{email} %.9m %c%n")) {
            ThreadContext.put("email", "mallory@example.org");
            log.logger().info("grüße\n\"{}\" ~s1a~x~", "parameter");
            ThreadContext.clearAll();
            log.logger().info("nobody's");
            assertEquals("", log.complaints());
        }
        String text = Program.text(sealed);
        for (String token : List.of("~s1a~email~", "~s1a~message~", "~s1a~value~")) {
            assertTrue(text.contains(token), text);
        }
        assertFalse(text.contains("mallory") || text.contains("parameter") || text.contains("nobody"), text);
        assertEquals(1, Pattern.compile("~s1a~email~").matcher(text).results().count(), "what is empty stays empty");
        assertOpensToClear();
    }

    /** The build runs these tests with another Log4j, too. */
    @Test
    void log4jIsTheOneThatTheBuildNames() {
        assertEquals(System.getProperty("sealmark.log4j"), Logger.class.getPackage().getImplementationVersion());
    }

    @Test
    void headerStandsFirstAndClosingTokenLast() throws Exception {
        try (Running log = log("%sealed{%m}{message}%n", "%m%n")) {
            log.logger().info("one");
        }
        List<String> lines = Program.text(sealed).lines().toList();
        assertTrue(lines.get(0).startsWith("~s1h~"), lines.get(0));
        assertTrue(lines.get(lines.size() - 1).startsWith("~s1z~"), lines.get(lines.size() - 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"%ex", "%xEx", "%rEx", "%ex{3}", "%ex{none}", "%ex{short.message}",
        "%ex{filters(org.junit,java)}",
        "%ex{separator(|)}", "%notEmpty{[%ex]}", "%xEx{suffix(%m)}"})
    void sealsMessagesOfExceptions(String pattern) throws Exception {
        String own = pattern.replace("%xEx", "%sealedEx{extended}").replace("%rEx", "%sealedEx{root}")
                .replace("%ex", "%sealedEx");
        try (Running log = log("%sealed{%p}{level} " + own + "%n", "%p " + pattern + "%n")) {
            log.logger().error("m", exception());
            log.logger().error("m", new Loop());
            log.logger().info("m");
            assertEquals("", log.complaints());
        }
        assertFalse(Program.text(sealed).contains("secret"), Program.text(sealed));
        if (Running.isBefore225() && (pattern.contains("separator") || pattern.contains("notEmpty"))) {
            // These old ones separate the lines of messages, too, and write what is in %notEmpty twice.
            assertTrue(program.open(sealed).contains("Loop: secret"), program.open(sealed));
            program.verify(sealed);
        } else {
            assertOpensToClear();
        }
    }

    @Test
    void keepsClassesAndFramesAndAddsNoOtherException() throws Exception {
        try (Running log = log("%p %sealedEx{label(why)}{sealer(other)}%n", "%p %ex%n")) {
            log.logger().error("m", exception());
        }
        String text = Program.text(sealed);
        assertTrue(text.contains("ERROR java.lang.IllegalStateException: ~s1a~why~"), text);
        assertTrue(text.contains("\nCaused by: java.lang.IllegalArgumentException: ~s1a~why~"), text);
        assertTrue(text.contains("\tSuppressed: java.lang.RuntimeException\n"), text);
        assertTrue(text.contains("\tat " + PatternTest.class.getName() + ".exception("), text);
        assertOpensToClear();
    }

    /** Log4j adds {@code %ex} to such patterns, in clear. */
    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "%sealed{%m}{message}%n; %m%n", "%p %sealed{%c}{logger} %sealed{%m}{message}%n; %p %c %m%n",
        "%highlight{%sealed{%m}{message}}{disableAnsi=true}%n; %m%n",
    })
    void aPatternWithoutAWordForExceptionsSealsThem(String sealing, String plain) throws Exception {
        // Before 2.25, Log4j adds %xEx.
        try (Running log = log(sealing, Running.isBefore225() ? plain + "%ex" : plain)) {
            log.logger().error("secret zero", exception());
            log.logger().info("no exception");
        }
        assertTrue(Program.text(clear).contains("secret three"), Program.text(clear));
        assertFalse(Program.text(sealed).contains("secret"), Program.text(sealed));
        assertOpensToClear();
    }

    @Test
    void aWordForExceptionsIsTheOnlyOne() throws Exception {
        try (Running log = log("%sealed{%m}{message} %sealedEx{short.message}%n", "%m %ex{short.message}%n")) {
            log.logger().error("secret zero", exception());
        }
        assertOpensToClear();
        try (Running log = log("%sealed{%m}{message} %ex{short.className}%n", "%m %ex{short.className}%n")) {
            log.logger().error("secret zero", exception());
        }
        assertOpensToClear();
    }

    /** Appenders that send messages have the pattern without the layout around it. */
    @ParameterizedTest
    @ValueSource(strings = {"%sealed{%m}{message}%n", "%notEmpty{%sealed{%m}{message}}%n"})
    void aPatternByItselfSealsExceptionsToo(String pattern) throws Exception {
        String configuration = configuration(pattern, "%m%n")
                .replace("<SealedLayout>", "<ThresholdFilter level='error' onMatch='ACCEPT' onMismatch='DENY'/>")
                .replace("</SealedLayout>", "")
                .replace("<Sealer ", "<Sealer sideFile='FOLDER/side.txt' ");
        try (Running log = Running.of(folder, configuration)) {
            log.logger().error("secret zero", exception());
            log.logger().error("secret zero");
            log.logger().info("filtered", exception());
        }
        String text = Program.text(sealed);
        assertFalse(text.contains("secret"), text);
        assertTrue(text.contains("\nCaused by: java.lang.IllegalArgumentException: ~s1a~exception~"), text);
        assertEquals(3, text.split("~s1a~message~", -1).length, text);
    }

    /** Applications put tokens where only texts have a place. */
    @Test
    void tokensThatAreTextsAreNotSealedAgain() throws Exception {
        try (Running log = log("%sealed{%X{user}}{user} %sealedEx{short.message}%n", "%m%n")) {
            ThreadContext.put("user", Sealed.of("user", "secret").toString());
            log.logger().info("nothing", new Exception("no such user " + Sealed.of("user", "secret too")));
        }
        assertFalse(Program.text(sealed).contains("secret"));
        assertEquals("secret no such user secret too\n", program.open(sealed));
        program.verify(sealed);
    }

    @Test
    void aPatternThatSealsAnExceptionHandlesIt() throws Exception {
        try (Running log = log("%p %sealed{%xEx}{stack}%n", "%p %xEx%n")) {
            log.logger().error("m", exception());
        }
        assertFalse(Program.text(sealed).contains("IllegalState"), Program.text(sealed));
        assertOpensToClear();
    }

    private static Exception exception() {
        Exception thrown = new IllegalStateException("secret one", new IllegalArgumentException("secret\ntwo"));
        thrown.addSuppressed(new RuntimeException((String) null));
        thrown.addSuppressed(new RuntimeException("secret three", thrown));
        return thrown;
    }

    /** Its own cause's cause. */
    private static final class Loop extends Exception {
        private static final long serialVersionUID = 1;

        Loop() {
            super("secret");
            initCause(new RuntimeException("secret", this));
        }
    }

    @Test
    void whatThrowsWhileItIsSealedBecomesAMarker() throws Exception {
        try (Running log = log("%sealed{%m}{message} %sealedEx{short.message}%n", "%ex{none}%n")) {
            log.logger().info("{}", new Object() {
                @Override
                public String toString() {
                    throw new IllegalStateException("secret");
                }
            });
            log.logger().info("m", new Exception("secret") {
                private static final long serialVersionUID = 1;

                @Override
                public String getLocalizedMessage() {
                    throw new IllegalStateException("secret");
                }
            });
            log.logger().info("m", new Endless());
        }
        String text = Program.text(sealed);
        assertFalse(text.contains("secret"), text);
        assertTrue(text.contains("~s1x~exception~"), text);
        assertTrue(program.open(sealed).endsWith("m secret, and no end\n"), program.open(sealed));
        program.verify(sealed);
    }

    @Test
    void markersForWhatThrowsAreCounted() throws Exception {
        try (Running log = log("%sealed{%m}{message} %sealedEx{short.message}%n", "%ex{none}%n")) {
            log.logger().info(new Broken.Text());
            assertEquals(1, Sealers.find("default").failed());
            log.logger().info("m", new Broken.Words());
            assertEquals(2, Sealers.find("default").failed());
            log.logger().info("m", new Broken.Frames());
            assertEquals(3, Sealers.find("default").failed());
            assertEquals("java.lang.IllegalStateException", Sealers.find("default").lastFailure());
            assertFalse(log.complaints().contains("secret"), log.complaints());
        }
        assertFalse(Program.text(sealed).contains("secret"), Program.text(sealed));
    }

    /** Has a cause, whoever asks. */
    private static final class Endless extends Exception {
        private static final long serialVersionUID = 1;

        Endless() {
            super("secret, and no end");
        }

        @Override
        public synchronized Throwable getCause() {
            return new Endless();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sealedParametersAreTokens(boolean asynchronous) throws Exception {
        String configuration = configuration("%m%n", "%p%n");
        try (Running log = asynchronous
                ? Running.asynchronous(folder, configuration) : Running.of(folder, configuration)) {
            Sealed email = Sealed.of("email", "mallory@example.org");
            log.logger().info("login of {} from {}", email, Sealed.of("ip", "::1").by("other"));
            log.logger().info(Sealed.of("object", "as a message"));
            log.logger().printf(org.apache.logging.log4j.Level.INFO, "%s!", email);
        }
        assertFalse(Program.text(sealed).contains("mallory"), Program.text(sealed));
        assertEquals("""
                login of mallory@example.org from ::1
                as a message
                mallory@example.org!
                """, program.open(sealed));
        program.verify(sealed);
    }

    @Test
    void whatIsSealedIsNotSealedAgain() throws Exception {
        try (Running log = log("%sealed{%m}{message}%n", "%p%n")) {
            log.logger().info("login of {} from {}", Sealed.of("email", "mallory@example.org"), "here");
        }
        String text = Program.text(sealed);
        assertFalse(text.contains("login") || text.contains("here"), text);
        assertEquals(2, text.split("~s1a~message~", -1).length - 1, text);
        assertTrue(text.contains("~s1a~email~"), text);
        assertEquals("login of mallory@example.org from here\n", program.open(sealed));
        program.verify(sealed);
    }

    @Test
    void sealersGoWhenLog4jStops() throws Exception {
        try (Running log = log("%sealed{%m}{message}%n", "%m%n")) {
            log.logger().info("one");
            assertEquals(1, Sealers.find("default").sealed());
        }
        assertEquals("none", Sealers.find("default").engine());
        assertEquals("none", Sealers.find("other").engine());
    }

    /** A {@code RoutingAppender} makes patterns for each user, perhaps, and forgets them. */
    @Test
    void aPatternThatIsForgottenIsKeptByNobody() throws Exception {
        String configuration = "<Appenders/><Loggers><Root level='info'/></Loggers>";
        try (Running log = Running.of(folder, configuration)) {
            Endings endings = Endings.of(log.logger().getContext());
            int tasks = Integer.MAX_VALUE;
            for (int times = 0; times < 100 && tasks > 50; times++) {
                for (int pattern = 0; pattern < 100; pattern++) {
                    SealedConverter.newInstance(
                            log.logger().getContext().getConfiguration(), new String[] {"%m", "message"});
                }
                System.gc();
                Thread.sleep(10);
                SealedConverter.newInstance(log.logger().getContext().getConfiguration(), new String[] {"%m", "message"});
                tasks = endings.size();
            }
            assertTrue(tasks <= 50, tasks + " tasks");
        }
    }
}
