package sealmark.spring;

import ch.qos.logback.classic.LoggerContext;
import org.slf4j.LoggerFactory;
import org.springframework.boot.logging.LogFile;
import org.springframework.boot.logging.LoggingInitializationContext;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.logging.LoggingSystemFactory;
import org.springframework.boot.logging.logback.LogbackLoggingSystem;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Spring Boot's own logging system for Logback, whose appenders are replaced before they write a line. */
final class SealedLoggingSystem extends LogbackLoggingSystem {
    /** The property of the access log that stays what it is. */
    private static final String UNDERTOW = "server.undertow.accesslog.enabled";

    private SealedLoggingSystem(ClassLoader loader) {
        super(loader);
    }

    @Override
    public void initialize(LoggingInitializationContext initialization, String location, LogFile file) {
        super.initialize(initialization, location, file);
        SealmarkProperties properties = SealmarkProperties.of(initialization.getEnvironment());
        if (properties.enabled()) {
            // Nothing is left to do here unless another application has configured Logback, or a native image has.
            SealedLog.begin(logback(), properties).replaceAppenders();
            tellIfInTheClear(initialization.getEnvironment());
        } else {
            LoggerFactory.getLogger(SealedLoggingSystem.class)
                    .warn("sealmark.enabled=false: nothing is sealed, and this log has all values in the clear");
        }
    }

    private static void tellIfInTheClear(Environment environment) {
        if (environment.getProperty(UNDERTOW, Boolean.class, false)) {
            LoggerFactory.getLogger(SealedLoggingSystem.class).warn("{}=true: that access log is not sealed, and has all values"
                    + " in the clear (hint: use another server, or SealedAccessLogHandler of sealmark-undertow)", UNDERTOW);
        }
    }

    @Override
    protected void loadDefaults(LoggingInitializationContext initialization, LogFile file) {
        super.loadDefaults(watched(initialization), file);
    }

    @Override
    protected void loadConfiguration(LoggingInitializationContext initialization, String location, LogFile file) {
        super.loadConfiguration(watched(initialization), location, file);
    }

    private static LoggingInitializationContext watched(LoggingInitializationContext initialization) {
        SealmarkProperties properties = SealmarkProperties.of(initialization.getEnvironment());
        return properties.enabled() ? new Watched((ConfigurableEnvironment) initialization.getEnvironment(), properties)
                : initialization;
    }

    private static LoggerContext logback() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }

    /**
     * Begins when Spring Boot asks for the environment: it has just reset Logback, which removes all listeners, and suppresses
     * logging until Logback has started.
     */
    private static final class Watched extends LoggingInitializationContext {
        private final SealmarkProperties properties;

        private Watched(ConfigurableEnvironment environment, SealmarkProperties properties) {
            super(environment);
            this.properties = properties;
        }

        @Override
        public Environment getEnvironment() {
            SealedLog.begin(logback(), properties);
            return super.getEnvironment();
        }
    }

    /** Comes before Spring Boot's own for Logback. */
    @Order(Ordered.HIGHEST_PRECEDENCE + 1023)
    static final class Factory implements LoggingSystemFactory {
        Factory() {}

        @Override
        public LoggingSystem getLoggingSystem(ClassLoader loader) {
            return ClassUtils.isPresent("ch.qos.logback.classic.LoggerContext", Factory.class.getClassLoader())
                    ? new SealedLoggingSystem(loader) : null;
        }
    }
}
