package sealmark.lab.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.AccessLogValve;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTest {
    private static final String RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p\n";

    @TempDir
    Path directory;

    @Test
    void no_log_keeps_larger_lines_than_another_once_it_is_started() throws Exception {
        Files.writeString(directory.resolve("recipient"), RECIPIENT);
        Map<Log, Integer> sizes = new EnumMap<>(Log.class);
        for (Log log : Log.values()) {
            sizes.put(log, lineBufferOf(log.valve(directory.toString())));
        }
        assertEquals(Set.of(Log.LINE_BUFFER), Set.copyOf(sizes.values()), sizes::toString);
    }

    private int lineBufferOf(AccessLogValve valve) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(directory.resolve("base").toString());
        tomcat.getHost().getPipeline().addValve(valve);
        tomcat.start();
        try {
            return valve.getMaxLogMessageBufferSize();
        } finally {
            tomcat.stop();
            tomcat.destroy();
        }
    }
}
