package sealmark.tomcat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import sealmark.log.Builder;
import sealmark.log.LogSealer;

/** What a valve's attributes say of its sealer, as they were written. */
class SealerSettings {
    String recipient;
    String recipientsFile;
    String preSharedKeyFile;
    String padding;
    String rotateAfter;
    String sideFile;
    String engine;

    /** Whether they name no reader; a sealer of somebody else's is meant then. */
    boolean hasNoReader() {
        return recipient == null && recipientsFile == null && preSharedKeyFile == null;
    }

    /**
     * @param base where names of files begin that are not absolute
     * @throws IOException where a file cannot be read
     * @throws IllegalArgumentException where an attribute is none
     * @throws IllegalStateException where native code was asked for and cannot be loaded
     */
    LogSealer build(Path base) throws IOException {
        Builder builder = LogSealer.builder();
        Selection.words(recipient).forEach(builder::recipient);
        if (recipientsFile != null) {
            builder.recipientsFile(base.resolve(recipientsFile));
        }
        if (preSharedKeyFile != null) {
            builder.preSharedKeyFile(base.resolve(preSharedKeyFile));
        }
        addRest(builder, base);
        return builder.build();
    }

    private void addRest(Builder builder, Path base) {
        if (padding != null) {
            builder.padding(number());
        }
        if (rotateAfter != null) {
            builder.rotateAfter(duration());
        }
        if (sideFile != null) {
            builder.sideFile(base.resolve(sideFile));
        }
        if (engine != null) {
            builder.engine(engine());
        }
    }

    private int number() {
        try {
            return Integer.parseInt(padding.strip());
        } catch (NumberFormatException error) {
            throw new IllegalArgumentException("\"" + padding + "\" is no padding\nhint: padding=\"64\"", error);
        }
    }

    private Duration duration() {
        try {
            return Duration.parse(rotateAfter.strip());
        } catch (DateTimeParseException error) {
            throw new IllegalArgumentException("\"" + rotateAfter + "\" is no time\nhint: rotateAfter=\"PT1H\"", error);
        }
    }

    private LogSealer.Engine engine() {
        return switch (engine.strip().toLowerCase(Locale.ROOT)) {
            case "auto" -> LogSealer.Engine.AUTO;
            case "native" -> LogSealer.Engine.NATIVE;
            case "pure-java" -> LogSealer.Engine.PURE_JAVA;
            default -> throw new IllegalArgumentException(
                    "\"" + engine + "\" is no engine\nhint: engine=\"auto\", \"native\" or \"pure-java\"");
        };
    }
}
