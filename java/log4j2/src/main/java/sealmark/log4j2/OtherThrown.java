package sealmark.log4j2;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.impl.ThrowableProxy;

/** An event with another exception, or with none. */
interface OtherThrown extends LogEvent {
    /** The event with its own exception. */
    LogEvent original();

    /** The event that was logged. */
    static LogEvent original(LogEvent event) {
        return event instanceof OtherThrown other ? other.original() : event;
    }

    /**
     * The event, except for its exception; to copy it would format its message once more.
     *
     * @param thrown null for none
     */
    @SuppressWarnings("deprecation") // %xEx and %rEx of Log4j before 2.25 ask for the proxy.
    static LogEvent of(LogEvent event, Throwable thrown) {
        return (LogEvent) Proxy.newProxyInstance(
                OtherThrown.class.getClassLoader(), new Class<?>[] {OtherThrown.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "original" -> event;
                    case "getThrown" -> thrown;
                    case "getThrownProxy" -> thrown == null ? null : new ThrowableProxy(thrown);
                    case "toImmutable" -> of(event.toImmutable(), thrown);
                    default -> {
                        try {
                            yield method.invoke(event, arguments);
                        } catch (InvocationTargetException error) {
                            throw error.getCause();
                        }
                    }
                });
    }
}
