package sealmark.spring;

import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;

/**
 * Checks the properties when they are known and before logging begins: an application whose log cannot be sealed does not
 * start.
 *
 * <p>{@link SealedLoggingSystem} seals; an exception there would be reported with stack traces.
 */
final class SealmarkListener implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {
    SealmarkListener() {}

    @Override
    public int getOrder() {
        return LoggingApplicationListener.DEFAULT_ORDER - 1;
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        SealmarkProperties properties = SealmarkProperties.of(event.getEnvironment());
        if (!properties.enabled()) {
            return;
        }
        LoggingSystem system = LoggingSystem.get(event.getSpringApplication().getClassLoader());
        if (!(system instanceof SealedLoggingSystem)) {
            throw new NotSealedException("the application does not log with Logback, but with " + system.getClass().getName(),
                    "remove the other logging starter, and the system property " + LoggingSystem.SYSTEM_PROPERTY);
        }
        properties.sealer().close();
        SealedLog.requireNoOther(properties);
    }
}
