package sealmark.receivers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Logback's SyslogAppender sends datagrams to rsyslog, which writes them into a file behind a prefix of its own. That of
 * logstash-logback-encoder sends lines of JSON over TCP, which rsyslog writes as they are.
 */
class RsyslogTest {
    private static final String LOGSTASH = """
            <appender name="SENDER" class="net.logstash.logback.appender.LogstashTcpSocketAppender">
              <destination>127.0.0.1:514</destination>
              <encoder class="net.logstash.logback.encoder.LogstashEncoder"/>
            </appender>
            """;

    @TempDir
    Path folder;

    @Test
    void noSessionOfSyslogIsLost() throws Exception {
        assertNoSessionIsLost("imudp", Programs.freeUdpPort(), "RSYSLOG_TraditionalFileFormat",
                Programs.text("syslog-logback.xml").replace(">514<", ">PORT<"));
    }

    @Test
    void noSessionOfLogstashIsLost() throws Exception {
        assertNoSessionIsLost("imtcp", Programs.freeTcpPort(), "unchanged", LOGSTASH.replace(":514<", ":PORT<"));
    }

    private void assertNoSessionIsLost(String input, int port, String template, String sender) throws Exception {
        Path daemon = Programs.installed("servers/usr/sbin/rsyslogd");
        Received.makeKeys(folder);
        Path stored = folder.resolve("stored.log");
        Path output = Files.createFile(folder.resolve("output.txt"));
        // A stack trace in one line of JSON is longer than messages of syslog.
        Files.writeString(folder.resolve("rsyslog.conf"), """
                global(workDirectory="FOLDER" maxMessageSize="64k")
                module(load="INPUT")
                input(type="INPUT" address="127.0.0.1" port="PORT")
                template(name="unchanged" type="string" string="%rawmsg%\\n")
                action(type="omfile" file="FOLDER/stored.log" template="TEMPLATE")
                """.replace("FOLDER", folder.toString()).replace("INPUT", input).replace("PORT", Integer.toString(port))
                .replace("TEMPLATE", template));
        Process rsyslog = Programs.start(output, libraries(), List.of(daemon.toString(), "-n",
                "-f", folder.resolve("rsyslog.conf").toString(), "-i", folder.resolve("rsyslogd.pid").toString(),
                "-M", modules()));
        try {
            Programs.await(output, () -> Files.exists(folder.resolve("rsyslogd.pid")), "rsyslog did not start");
            Shop.run(folder, sender.replace("PORT", Integer.toString(port)), logback -> {});
            Programs.await(output, () -> lines(stored).filter(line -> line.contains(Shop.MESSAGE)).count() == Shop.VALUES,
                    "rsyslog has not stored all records");
        } finally {
            Programs.end(rsyslog);
        }
        Received received = new Received(folder, lines(stored).toList());
        received.assertAll(Shop.VALUES, Shop.SESSIONS);
        received.assertNoSessionIsLost();
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
