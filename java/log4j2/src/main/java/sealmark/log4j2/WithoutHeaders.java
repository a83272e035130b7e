package sealmark.log4j2;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.pattern.LogEventPatternConverter;
import org.apache.logging.log4j.status.StatusLogger;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;

/**
 * Tells of appenders whose pattern seals, but stands in no {@code <SealedLayout>}: nobody could open tokens there, so values
 * become markers. Log4j does not tell a converter which appender it stands in, so this is known when the configuration is
 * complete, or else when the first value comes.
 */
final class WithoutHeaders {
    private static final Logger LOGGER = StatusLogger.getLogger();
    /** Configurations whose appenders were told of; null is one that is not known. */
    private static final Set<Configuration> TOLD = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private WithoutHeaders() {}

    /** The sealer for a value in a record that is being laid out; one that makes markers where nobody could open a token. */
    static LogSealer sealer(Configuration configuration, String name) {
        return Sealers.forLine(name, () -> tell(configuration, true));
    }

    /** Tells of the appenders of a configuration, and of one that is not among them if it is certain that there is one. */
    static void tell(Configuration configuration, boolean isCertain) {
        if (TOLD.contains(configuration)) {
            return;
        }
        List<String> found = new ArrayList<>();
        if (configuration != null) {
            configuration.getAppenders().forEach((name, appender) -> {
                if (SealedConverter.words(appender.getLayout(), configuration).stream().anyMatch(WithoutHeaders::needsHeader)) {
                    found.add(name);
                }
            });
        }
        if ((isCertain || !found.isEmpty()) && TOLD.add(configuration)) {
            LOGGER.error("{} writes no headers, so the values that its pattern seals become markers\n"
                    + "hint: <SealedLayout><PatternLayout pattern=\"…\"/></SealedLayout>, or, if the appender sends"
                    + " records, <SealedRecords name=\"…\"> around it",
                    found.isEmpty() ? "an appender" : "appender \"" + String.join("\", \"", found) + "\"");
        }
    }

    private static boolean needsHeader(LogEventPatternConverter word) {
        return word instanceof SealedConverter sealed ? Sealers.needsHeader(sealed.sealer())
                : word instanceof SealedThrowableConverter exception && Sealers.needsHeader(exception.sealer());
    }
}
