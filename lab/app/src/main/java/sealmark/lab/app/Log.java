package sealmark.lab.app;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.catalina.valves.AccessLogValve;
import sealmark.log.Sealers;
import sealmark.tomcat.SealedAccessLogValve;

/** The access logs of job {@code log-app}; each is the algorithm of one engine. */
enum Log {
    PLAIN("plain", "none"),
    MASK("mask", "mask"),
    /** By native code, or not at all. */
    SEALED("sealed", "token"),
    SEALED_PURE("sealed-pure", "token");

    /** The name of the file in the engine's directory. */
    static final String FILE = "access.log";

    /**
     * Tomcat throws the buffer of a line away where the line was longer, by its default of 256 characters. Plain lines of
     * this job are, and the valve that seals raises it by itself: unless all have the same, plain ones pay alone.
     */
    static final int LINE_BUFFER = 8_192;

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

    /** The name that the engine reports. */
    String engine() {
        return "tomcat-" + argument;
    }

    /** A valve as server.xml would configure it, its file in that directory. */
    AccessLogValve valve(String directory) {
        AccessLogValve valve = switch (this) {
            case PLAIN -> new AccessLogValve();
            case MASK -> new MaskingValve();
            case SEALED -> sealing(directory, "native");
            case SEALED_PURE -> sealing(directory, "pure-java");
        };
        valve.setPattern("combined");
        valve.setDirectory(directory);
        valve.setPrefix(FILE);
        valve.setRotatable(false);
        valve.setMaxLogMessageBufferSize(LINE_BUFFER);
        return valve;
    }

    /** All values of a query are sealed, as it is where nobody says otherwise. */
    private static AccessLogValve sealing(String directory, String engine) {
        SealedAccessLogValve valve = new SealedAccessLogValve();
        valve.set("recipientsFile", directory + "/recipient");
        valve.set("engine", engine);
        return valve;
    }

    /** The class that wrote the log and, for tokens, the cipher behind it; known once the log is written. */
    String code(AccessLogValve valve) {
        String name = valve.getClass().getName();
        return algorithm.equals("token") ? name + ", " + Sealers.find(Sealers.DEFAULT).engine() : name;
    }
}
