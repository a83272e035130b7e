package sealmark.testing;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.Callable;
import sealmark.log.SessionLines;

/** Logs that repeat a header as often as can be: no test waits for minutes. */
public final class RepeatedHeaders {
    private RepeatedHeaders() {}

    /** Runs a task; the logs that begin meanwhile have each header again before each line with tokens. */
    public static <T> T of(Callable<T> beginning) throws Exception {
        Field repeat = SessionLines.class.getDeclaredField("repeat");
        repeat.setAccessible(true);
        Object usual = repeat.get(null);
        repeat.set(null, Duration.ZERO);
        try {
            return beginning.call();
        } finally {
            repeat.set(null, usual);
        }
    }
}
