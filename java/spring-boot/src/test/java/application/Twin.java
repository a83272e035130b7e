package application;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.boot.logging.logback.StructuredLogEncoder;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Writes the same events as the logs of the application, in the clear: {@code twin.console} and {@code twin.file} are files for
 * them, from the first line on. It comes after the starter has replaced the appenders.
 */
public final class Twin implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {
    @Override
    public int getOrder() {
        return LoggingApplicationListener.DEFAULT_ORDER + 1;
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        for (String log : new String[] {"console", "file"}) {
            if (event.getEnvironment().containsProperty("twin." + log)) {
                add(event.getEnvironment(), log);
            }
        }
    }

    private static void add(Environment environment, String log) {
        LoggerContext logback = (LoggerContext) LoggerFactory.getILoggerFactory();
        FileAppender<ILoggingEvent> twin = new FileAppender<>();
        twin.setContext(logback);
        twin.setName("TWIN " + log);
        twin.setFile(environment.getProperty("twin." + log));
        twin.setEncoder(encoder(environment, logback, log));
        twin.start();
        logback.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(twin);
    }

    private static Encoder<ILoggingEvent> encoder(Environment environment, LoggerContext logback, String log) {
        return encoder(logback, environment.getProperty("logging.structured.format." + log),
                environment.getProperty("logging.pattern." + log));
    }

    /** An encoder of Spring Boot's, or a pattern if there is no format. */
    public static Encoder<ILoggingEvent> encoder(LoggerContext logback, String format, String pattern) {
        EncoderBase<ILoggingEvent> encoder;
        if (format == null) {
            PatternLayoutEncoder text = new PatternLayoutEncoder();
            text.setPattern(pattern);
            encoder = text;
        } else {
            StructuredLogEncoder json = new StructuredLogEncoder();
            json.setFormat(format);
            encoder = json;
        }
        encoder.setContext(logback);
        encoder.start();
        return encoder;
    }
}
