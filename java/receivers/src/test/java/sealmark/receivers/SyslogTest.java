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

/** Logback's SyslogAppender sends datagrams to rsyslog, which writes them into a file behind a prefix of its own. */
class SyslogTest {
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
            Shop.run(folder, Programs.text("syslog-logback.xml").replace(">514<", ">" + port + "<"), logback -> {});
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
