package sealmark.lab.app;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.catalina.valves.AccessLogValve;

/** The access logs of job {@code log-app}; each is the algorithm of one engine. */
enum Log {
    PLAIN("plain", "none"),
    MASK("mask", "mask");

    /** The name of the file in the engine's directory. */
    static final String FILE = "access.log";

    private final String argument;

    /** Its name in spec/engine.md. */
    final String algorithm;

    Log(String argument, String algorithm) {
        this.argument = argument;
        this.algorithm = algorithm;
    }

    /** The log that a program is started for; null where there is no such log. */
    static Log named(String argument) {
        return Arrays.stream(values()).filter(log -> log.argument.equals(argument)).findFirst().orElse(null);
    }

    static String names() {
        return Arrays.stream(values()).map(log -> log.argument).collect(Collectors.joining(", "));
    }

    /** A valve as server.xml would configure it, its file in that directory: only the format and the name are set. */
    AccessLogValve valve(String directory) {
        AccessLogValve valve = this == MASK ? new MaskingValve() : new AccessLogValve();
        valve.setPattern("combined");
        valve.setDirectory(directory);
        valve.setPrefix(FILE);
        valve.setRotatable(false);
        return valve;
    }
}
