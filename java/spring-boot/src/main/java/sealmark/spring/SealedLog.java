package sealmark.spring;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggerContextListener;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.ConfigurationEvent;
import ch.qos.logback.core.spi.ConfigurationEventListener;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.spi.FilterReply;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;
import sealmark.logback.SealedEvents;

/** The sealed logs of a Logback context, from its configuration until it stops. */
final class SealedLog extends ContextAwareBase implements LoggerContextListener, ConfigurationEventListener {
    private static final String KEY = SealedLog.class.getName();

    private final LoggerContext logback;
    private final SealmarkProperties properties;
    private final LogSealer sealer;
    private final SealedEvents events;
    private final TurboFilter nothing = new Nothing();

    private SealedLog(LoggerContext logback, SealmarkProperties properties) {
        this.logback = logback;
        this.properties = properties;
        this.sealer = properties.sealer();
        setContext(logback);
        this.events = new SealedEvents(this, properties.seal(), properties.sealExceptions());
    }

    /** Seals what the context writes from now on; does nothing if that has begun. */
    static synchronized void begin(LoggerContext logback, SealmarkProperties properties) {
        if (logback.getObject(KEY) instanceof SealedLog) {
            return;
        }
        SealedLog log = new SealedLog(logback, properties);
        logback.putObject(KEY, log);
        Sealers.install(Sealers.DEFAULT, log.sealer);
        logback.addListener(log);
        logback.addConfigurationEventListener(log);
        if (logback.isStarted()) {
            log.replaceAppenders();
        }
    }

    /** Two applications of a JVM may share a log only if it is sealed in one way. */
    static void requireNoOther(SealmarkProperties properties) {
        boolean isRunning = LoggerFactory.getILoggerFactory() instanceof LoggerContext logback
                && logback.getObject(org.springframework.boot.logging.LoggingSystem.class.getName()) != null
                && logback.getObject(KEY) instanceof SealedLog other && !other.properties.equals(properties);
        if (isRunning) {
            throw new NotSealedException("another application of this JVM seals the same log with other sealmark.* properties",
                    "give both applications the same sealmark.* properties, or close the other one before");
        }
    }

    private void replaceAppenders() {
        new SealedAppenders(logback, events).replaceAll();
    }

    @Override
    public boolean isResetResistant() {
        return true;
    }

    @Override
    public void onStart(LoggerContext context) {
        replaceAppenders();
    }

    /** Logback reads its configuration anew, because the file has changed: nothing is logged before the appenders are ours. */
    @Override
    public void onReset(LoggerContext context) {
        context.addTurboFilter(nothing);
        context.putObject(KEY, this);
    }

    @Override
    public void listen(ConfigurationEvent event) {
        switch (event.getEventType()) {
            case CONFIGURATION_ENDED_SUCCESSFULLY, CONFIGURATION_ENDED_WITH_XML_PARSING_ERRORS -> {
                replaceAppenders();
                logback.getTurboFilterList().remove(nothing);
            }
            default -> { }
        }
    }

    @Override
    public void onStop(LoggerContext context) {
        context.removeObject(KEY);
        context.removeConfigurationEventListener(this);
        context.getTurboFilterList().remove(nothing);
        Sealers.remove(Sealers.DEFAULT, sealer);
    }

    @Override
    public void onLevelChange(Logger logger, Level level) {
        // Levels do not matter here.
    }

    private static final class Nothing extends TurboFilter {
        @Override
        public FilterReply decide(Marker marker, Logger logger, Level level, String format, Object[] parameters, Throwable error) {
            return FilterReply.DENY;
        }
    }
}
