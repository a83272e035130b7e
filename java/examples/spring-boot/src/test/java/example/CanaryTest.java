package example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.util.StatusPrinter2;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import sealmark.log.LogSealer;
import sealmark.log.Sealed;
import sealmark.log.Sealers;

/** Spring Boot's own set-up, JUL included, writes no value in clear, whatever fails. */
class CanaryTest {
    private static final String MARK = "kanarienvogel7Q";

    private final PrintStream out = System.out;
    private final PrintStream errors = System.err;
    private final ByteArrayOutputStream console = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    @BeforeEach
    void makeKeyAndWatch() throws Exception {
        sealmark("keygen", "--mode", "ecc", "-o", "key.txt");
        Files.writeString(folder.resolve("recipients.txt"), sealmark("keygen", "-y", "key.txt"));
        System.setOut(new PrintStream(console, true, UTF_8));
        System.setErr(new PrintStream(console, true, UTF_8));
    }

    @AfterEach
    void watchNoMore() {
        System.setOut(out);
        System.setErr(errors);
        Sealers.remove(Sealers.DEFAULT);
    }

    @Test
    void theSetUpOfThisExampleSealsAll() throws Exception {
        try (ConfigurableApplicationContext application = start("--sealmark.recipients-file=" + folder.resolve("recipients.txt"))) {
            assertTrue(application.isRunning());
            Main.log(MARK, MARK + "@example.com");
            for (String fault : List.of("throws", "closed")) {
                if (fault.equals("closed")) {
                    Sealers.find(Sealers.DEFAULT).close();
                }
                LoggerFactory.getLogger("a").error("of {}", Sealed.of("email", new Throwing()));
                Main.log(MARK, MARK + "x".repeat(1 << 20));
            }
            LoggerContext logback = (LoggerContext) LoggerFactory.getILoggerFactory();
            StatusPrinter2 printer = new StatusPrinter2();
            printer.setPrintStream(new PrintStream(console, true, UTF_8));
            printer.print(logback);
            logback.stop();
        }
        String log = console.toString(UTF_8);
        assertFalse(log.contains(MARK), log.replaceAll("x{100,}", "…"));
        Files.writeString(folder.resolve("console.log"), log);
        String opened = sealmark("log", "open", "-i", "key.txt", "console.log");
        for (String part : List.of("user=" + MARK + " login, email=" + MARK + "@", "paid by " + MARK + "@",
                "email=\"" + MARK + "@", "IllegalArgumentException: no such user: " + MARK,
                "Caused by: java.lang.IllegalStateException: " + MARK, "of an older library: " + MARK + "@")) {
            assertTrue(opened.contains(part), part);
        }
        assertTrue(opened.contains("~s1x~email~"), "what throws is a marker");
    }

    /** Without the starter: tokens and no header, of which the library warns. */
    @Test
    void theDefaultSetUpShowsNoSealedValue() throws Exception {
        try (ConfigurableApplicationContext application = start("--sealmark.enabled=false", "--logging.config=classpath:plain-logback.xml")) {
            assertTrue(application.isRunning());
            LoggerFactory.getLogger("a").info("nobody seals {}", Sealed.of("email", MARK));
            Sealers.install(Sealers.DEFAULT, LogSealer.builder().recipientsFile(folder.resolve("recipients.txt")).build());
            LoggerFactory.getLogger("a").error("of {}", Sealed.of("email", MARK),
                    new IllegalStateException("no user " + Sealed.of("user", MARK)));
            java.util.logging.Logger.getLogger("b").warning("of " + Sealed.of("email", MARK));
        }
        String log = console.toString(UTF_8);
        assertFalse(log.contains(MARK), log);
        assertTrue(log.contains("nobody seals ~s1x~email~") && log.contains("no user ~s1a~user~"), log);
    }

    private static ConfigurableApplicationContext start(String... arguments) {
        SpringApplication application = new SpringApplication(Main.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        return application.run(arguments);
    }

    private String sealmark(String... words) throws IOException, InterruptedException {
        String[] command = new String[words.length + 1];
        command[0] = Path.of(System.getProperty("sealmark.program")).toAbsolutePath().toString();
        System.arraycopy(words, 0, command, 1, words.length);
        Path said = folder.resolve("said.txt");
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectError(said.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertTrue(process.waitFor(1, TimeUnit.MINUTES));
        assertEquals(0, process.exitValue(), Files.readString(said));
        return output;
    }

    private static final class Throwing {
        @Override
        public String toString() {
            throw new IllegalStateException(MARK);
        }
    }
}
