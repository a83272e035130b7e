package sealmark.receivers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.Sealed;

/**
 * An application in a container logs to its standard streams. The log writers of containerd and docker put both streams into one
 * file, with text around each line, and cut long lines.
 */
class ContainerTest {
    private static final String CONSOLES = """
            <configuration>
              <conversionRule conversionWord="sealed" class="sealmark.logback.SealedConverter"/>
              <conversionRule conversionWord="sealedEx" class="sealmark.logback.SealedThrowableConverter"/>
              <contextListener class="sealmark.logback.SealerConfig">
                <recipientsFile>FOLDER/recipients.txt</recipientsFile>
                <rotateAfterValues>64</rotateAfterValues>
              </contextListener>
              <appender name="OUT" class="sealmark.logback.SealedConsoleAppender">
                <encoder><pattern>%level user=%sealed{user:--} %msg%n%sealedEx</pattern></encoder>
              </appender>
              <appender name="ERR" class="sealmark.logback.SealedConsoleAppender">
                <target>System.err</target>
                <encoder><pattern>%level user=%sealed{user:--} %msg%n%sealedEx</pattern></encoder>
              </appender>
              <root level="INFO"><appender-ref ref="OUT"/><appender-ref ref="ERR"/></root>
            </configuration>
            """;
    private static final String SENDER = """
            <appender name="SENDER" class="ch.qos.logback.core.ConsoleAppender">
              <encoder><pattern>%level %logger %msg user=%X{user}%n%ex{short}</pattern></encoder>
            </appender>
            """;
    /** Both writers cut a line after 16 KiB. */
    private static final int LONG = 20_000;

    @TempDir
    Path folder;

    /** The application in the container, with a file of Logback's configuration. */
    static final class Pod {
        private Pod() {}

        public static void main(String[] file) throws Exception {
            Shop.run(Files.readString(Path.of(file[0])), logback -> logback.getLogger("shop")
                    .info("{}", Sealed.of("email", Received.SECRET + Shop.VALUES + "." + "l".repeat(LONG))));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"containerd", "docker"})
    void theLogOfAContainerOpens(String runtime) throws Exception {
        List<String> lines = stored(runtime, CONSOLES.replace("FOLDER", folder.toString()));
        // The file on the node keeps the writer's text around the lines, and the long value cannot be opened in pieces.
        new Received(folder, lines).assertAll(Shop.VALUES, Shop.SESSIONS);
        List<String> whole = whole(runtime, lines);
        assertTrue(whole.size() < lines.size(), "no line was cut");
        new Received(folder, whole).assertAll(Shop.VALUES + 1, Shop.SESSIONS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"containerd", "docker"})
    void noSessionIsLostBehindAContainer(String runtime) throws Exception {
        Received received = new Received(folder, whole(runtime, stored(runtime, Shop.configuration(folder, SENDER))));
        received.assertAll(Shop.VALUES + 1, Shop.SESSIONS);
        received.assertNoSessionIsLost();
    }

    /** The lines of the log that the application leaves on the node. */
    private List<String> stored(String runtime, String configuration) throws Exception {
        Path writer = Programs.installed("bin/containers");
        Received.makeKeys(folder);
        Path xml = Files.writeString(folder.resolve("logback.xml"), configuration);
        Path stored = folder.resolve("stored.log");
        Path output = Files.createFile(folder.resolve("output.txt"));
        Process pod = Programs.start(output, Map.of(), List.of(writer.toString(), runtime, stored.toString(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("java.class.path"), Pod.class.getName(), xml.toString()));
        try {
            assertTrue(pod.waitFor(60, TimeUnit.SECONDS), "it does not end");
        } finally {
            pod.descendants().forEach(ProcessHandle::destroyForcibly);
            pod.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(stored, UTF_8);
        assertEquals(0, pod.exitValue(), () -> Files.exists(stored) ? String.join("\n", lines) : "no log");
        return lines;
    }

    /** The lines of the application, as {@code kubectl logs} and {@code docker logs} print them. */
    private static List<String> whole(String runtime, List<String> lines) throws Exception {
        Map<String, StringBuilder> begun = new HashMap<>();
        List<String> whole = new ArrayList<>();
        for (String line : lines) {
            boolean isJson = runtime.equals("docker");
            JsonNode json = isJson ? new ObjectMapper().readTree(line) : null;
            // A line of containerd has a time, a stream, P for a piece or F for the end of a line, and the text.
            String[] cri = isJson ? null : line.split(" ", 4);
            String text = isJson ? json.get("log").asText() : cri[3];
            StringBuilder all = begun.computeIfAbsent(isJson ? json.get("stream").asText() : cri[1], stream -> new StringBuilder());
            all.append(text.stripTrailing());
            if (isJson ? text.endsWith("\n") : cri[2].equals("F")) {
                whole.add(all.toString());
                all.setLength(0);
            }
        }
        return whole;
    }
}
