package sealmark.receivers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.status.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.helpers.BasicMDCAdapter;
import sealmark.log.Sealed;

/** Logback's SyslogAppender sends datagrams to rsyslog, which writes them into a file behind a prefix of its own. */
class SyslogTest {
    private static final int VALUES = 600;
    private static final int SESSIONS = 9;
    private static final String APPLICATION = """
            <configuration>
              <contextListener class="sealmark.logback.SealerConfig">
                <recipientsFile>FOLDER/recipients.txt</recipientsFile>
                <rotateAfterValues>64</rotateAfterValues>
              </contextListener>
              <appender name="SYSLOG" class="ch.qos.logback.classic.net.SyslogAppender">
                <syslogHost>127.0.0.1</syslogHost><port>PORT</port><facility>USER</facility>
                <suffixPattern>[%thread] %logger %msg user=%X{user}</suffixPattern>
              </appender>
              <appender name="SEALED" class="sealmark.logback.SealedRecordAppender">
                <seal>user</seal>
                <appender-ref ref="SYSLOG"/>
              </appender>
              <root level="INFO"><appender-ref ref="SEALED"/></root>
            </configuration>
            """;

    @TempDir
    Path folder;

    @Test
    void noSessionIsLostInRsyslog() throws Exception {
        Path daemon = Programs.installed("servers/usr/sbin/rsyslogd");
        Received.makeKeys(folder);
        Path stored = folder.resolve("stored.log");
        Path output = Files.createFile(folder.resolve("output.txt"));
        int port = Programs.freeUdpPort();
        Files.writeString(folder.resolve("rsyslog.conf"), """
                global(workDirectory="%s")
                module(load="imudp")
                input(type="imudp" address="127.0.0.1" port="%d")
                action(type="omfile" file="%s" template="RSYSLOG_TraditionalFileFormat")
                """.formatted(folder, port, stored));
        Process rsyslog = Programs.start(output, libraries(), List.of(daemon.toString(), "-n",
                "-f", folder.resolve("rsyslog.conf").toString(), "-i", folder.resolve("rsyslogd.pid").toString(),
                "-M", modules()));
        try {
            Programs.await(output, () -> Files.exists(folder.resolve("rsyslogd.pid")), "rsyslog did not start");
            logEverything(port);
            long expected = VALUES;
            Programs.await(output, () -> lines(stored).filter(line -> line.contains("paid by")).count() == expected,
                    "rsyslog has not stored all records");
        } finally {
            Programs.end(rsyslog);
        }
        Received received = new Received(folder, lines(stored).toList());
        received.assertAll(VALUES, SESSIONS);
        received.assertNoSessionIsLost();
    }

    private void logEverything(int port) throws Exception {
        LoggerContext context = new LoggerContext();
        BasicMDCAdapter mdc = new BasicMDCAdapter();
        context.setMDCAdapter(mdc);
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        String xml = APPLICATION.replace("FOLDER", folder.toString()).replace("PORT", Integer.toString(port));
        configurator.doConfigure(new ByteArrayInputStream(xml.getBytes(UTF_8)));
        Logger logger = context.getLogger("shop");
        for (int number = 0; number < VALUES; number++) {
            if (number % 2 == 0) {
                logger.info("paid by {}", Sealed.of("email", Received.SECRET + number + "."));
            } else {
                mdc.put("user", Received.SECRET + number + ".");
                logger.info("paid by somebody");
                mdc.remove("user");
            }
            if (number % 20 == 0) {
                // Datagrams have no flow control.
                Thread.sleep(1);
            }
        }
        context.stop();
        assertEquals(List.of(), context.getStatusManager().getCopyOfStatusList().stream()
                .filter(status -> status.getLevel() >= Status.WARN).map(Object::toString).toList());
    }

    private static Stream<String> lines(Path stored) {
        try {
            return Files.exists(stored) ? Files.readAllLines(stored, UTF_8).stream() : Stream.of();
        } catch (IOException error) {
            throw new AssertionError(error);
        }
    }

    private static String modules() throws IOException {
        try (Stream<Path> files = Files.walk(Programs.installed("servers/usr/lib"))) {
            return files.filter(file -> file.endsWith("imudp.so")).findFirst().orElseThrow().getParent().toString();
        }
    }

    /** Not those of the system, which may lack them. */
    private static Map<String, String> libraries() throws IOException {
        try (Stream<Path> files = Files.walk(Programs.installed("servers"))) {
            return Map.of("LD_LIBRARY_PATH", files.filter(file -> file.toString().matches(".*/lib/[^/]*-linux-gnu"))
                    .map(Path::toString).sorted().collect(Collectors.joining(":")));
        }
    }
}
