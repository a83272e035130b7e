package sealmark.log;

import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Warnings of sealers in the application's log. */
final class Warnings {
    private static final Logger LOGGER = Logger.getLogger(LogSealer.class.getName());

    private Warnings() {}

    static Handler each(Consumer<LogRecord> step) {
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                step.accept(record);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        LOGGER.addHandler(handler);
        return handler;
    }

    static void end(Handler handler) {
        LOGGER.removeHandler(handler);
    }
}
