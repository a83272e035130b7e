package sealmark.logback;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggerContextListener;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.util.function.Supplier;

/** Listens for as long as a configuration of Logback holds: a reset, which a new one begins with, takes it away. */
abstract class ContextListener extends ContextAwareBase implements LoggerContextListener {
    /** The only object of that type for a configuration; it listens if it can. */
    static <T> T of(Context context, Class<T> type, Supplier<T> make) {
        synchronized (ContextListener.class) {
            Object known = context.getObject(type.getName());
            if (known != null) {
                return type.cast(known);
            }
            T made = make.get();
            context.putObject(type.getName(), made);
            if (made instanceof ContextListener listener && context instanceof LoggerContext logback) {
                listener.setContext(context);
                logback.addListener(listener);
            }
            return made;
        }
    }

    @Override
    public boolean isResetResistant() {
        return false;
    }

    @Override
    public void onStart(LoggerContext context) {}

    @Override
    public void onReset(LoggerContext context) {}

    @Override
    public void onStop(LoggerContext context) {}

    @Override
    public void onLevelChange(Logger logger, Level level) {}
}
