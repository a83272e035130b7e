package sealmark.logback;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.status.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.helpers.BasicMDCAdapter;
import sealmark.testing.SealmarkProgram;

/** A folder with a key and logs, anew for each test, and a Logback that is configured by XML, as users do. */
final class LogFolder implements BeforeEachCallback, AfterEachCallback {
    /** The words, and who can read. */
    static final String SEALER = """
            <conversionRule conversionWord="sealed" class="sealmark.logback.SealedConverter"/>
            <conversionRule conversionWord="sealedEx" class="sealmark.logback.SealedThrowableConverter"/>
            <conversionRule conversionWord="sealedKvp" class="sealmark.logback.SealedKeyValuePairConverter"/>
            <contextListener class="sealmark.logback.SealerConfig">
              <recipientsFile>FOLDER/recipients.txt</recipientsFile>
            </contextListener>
            """;

    private static final Pattern OWN =
            Pattern.compile("~s1(h)~([^~]{16})~[^~]{12}~(\\d+)\\.(\\d+)~|~s1[apjq]~[^~]+~([^~]{16})~");

    Path folder;

    @Override
    public void beforeEach(ExtensionContext test) throws IOException {
        folder = Files.createTempDirectory("logs");
        run(0, "keygen", "--mode", "ecc", "-o", "key.txt");
        Files.write(folder.resolve("recipients.txt"), run(0, "keygen", "-y", "key.txt"));
    }

    @Override
    public void afterEach(ExtensionContext test) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** A Logback of its own with the elements of a {@code <configuration>}. */
    LoggerContext configure(String elements) {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new BasicMDCAdapter());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        String xml = "<configuration>" + elements.replace("FOLDER", folder.toString()) + "</configuration>";
        try {
            configurator.doConfigure(new ByteArrayInputStream(xml.getBytes(UTF_8)));
        } catch (JoranException error) {
            throw new AssertionError(error);
        }
        return context;
    }

    /** The statuses of Logback that have at least this level. */
    static List<String> statuses(LoggerContext context, int level) {
        return context.getStatusManager().getCopyOfStatusList().stream()
                .filter(status -> status.getLevel() >= level)
                .map(Status::getMessage)
                .toList();
    }

    static void assertNoErrors(LoggerContext context) {
        assertEquals(List.of(), statuses(context, Status.WARN));
    }

    String text(String file) {
        try {
            return Files.readString(folder.resolve(file), UTF_8);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** The logs whose names begin so, oldest first if their names tell that. */
    List<String> logs(String prefix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(prefix))
                    .sorted()
                    .toList();
        }
    }

    /** Opens logs with {@code sealmark log open}; all tokens must open. */
    String opened(String... logs) {
        return new String(run(0, command("open", logs)), UTF_8);
    }

    /** Asserts that logs are whole by themselves, from the header on to the closing token. */
    void assertWhole(String... logs) {
        run(0, command("verify", logs));
        for (String log : logs) {
            assertHeadersComeFirst(text(log));
        }
    }

    private static String[] command(String command, String... logs) {
        List<String> words = new ArrayList<>(List.of("log", command, "-i", "key.txt"));
        // Line breaks in values come as they were logged, to be compared with a log in clear.
        words.add(command.equals("verify") ? "--closed" : "--raw");
        words.addAll(Arrays.asList(logs));
        return words.toArray(String[]::new);
    }

    static void assertHeadersComeFirst(String log) {
        Set<String> complete = new HashSet<>();
        Matcher own = OWN.matcher(log);
        int tokens = 0;
        while (own.find()) {
            if (own.group(1) == null) {
                tokens++;
                assertTrue(complete.contains(own.group(5)), () -> "a token before its header: " + own.group());
            } else if (own.group(3).equals(own.group(4))) {
                complete.add(own.group(2));
            }
        }
        assertTrue(tokens > 0, "no tokens in " + log);
    }

    /** Asserts that no file here, nor any text given, has one of these in clear. */
    void assertHidden(List<String> secrets, String... logs) {
        for (String log : logs) {
            String text = text(log);
            secrets.forEach(secret -> assertFalse(text.contains(secret), () -> secret + " is in " + log));
        }
    }

    /** The output of the program, run in this folder. */
    byte[] run(int expected, String... words) {
        try {
            return SealmarkProgram.run(folder, expected, words);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        } catch (InterruptedException error) {
            throw new AssertionError(error);
        }
    }
}
