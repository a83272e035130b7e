package sealmark.logback;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.spi.LifeCycle;
import java.nio.file.Path;
import java.time.Duration;
import sealmark.log.LogSealer;
import sealmark.log.SealerSettings;
import sealmark.log.Sealers;

/**
 * Installs a sealer for as long as a configuration of Logback holds. Write it into {@code logback.xml} before the appenders,
 *
 * <pre>{@code
 * <contextListener class="sealmark.logback.SealerConfig">
 *   <recipientsFile>/etc/app/recipients.txt</recipientsFile>
 * </contextListener>
 * }</pre>
 *
 * or as {@code <sealer>} in one of this package's appenders.
 *
 * <p>One sealer serves any number of appenders: each log has sessions of its own, and can be verified alone. A second {@code
 * <contextListener>} with a {@code <name>}, which conversion words take as an option, has other readers. Values that were {@link
 * sealmark.log.Sealed} behind an {@code AsyncAppender} may be in the next file after a roll-over; verify such files together.
 *
 * <p>If something in it is wrong, Logback's statuses have an error. There is no sealer of that name then, and each value becomes
 * a marker ({@code ~s1x~label~}).
 */
public final class SealerConfig extends ContextListener implements LifeCycle {
    private final SealerSettings settings = new SealerSettings();
    private String name = Sealers.DEFAULT;
    private LogSealer installed;

    /** A configuration that names no reader yet. */
    public SealerConfig() {}

    /**
     * The name that the sealer is installed by.
     *
     * @param name {@link Sealers#DEFAULT} by default
     */
    public void setName(String name) {
        this.name = name.trim();
    }

    String name() {
        return name;
    }

    /**
     * Adds a reader by public key.
     *
     * @param recipient as in {@link LogSealer.Builder#recipient}
     */
    public void addRecipient(String recipient) {
        settings.add("recipient", recipient);
    }

    /**
     * Adds the readers in a file.
     *
     * @param file as in {@link LogSealer.Builder#recipientsFile}
     */
    public void addRecipientsFile(String file) {
        settings.add("recipientsFile", file);
    }

    /**
     * Makes holders of the same pre-shared key the only readers.
     *
     * @param file as in {@link LogSealer.Builder#preSharedKeyFile}
     */
    public void setPreSharedKeyFile(String file) {
        settings.set("preSharedKeyFile", file);
    }

    /**
     * Hides how long values are.
     *
     * @param multiple a number of bytes, as in {@link LogSealer.Builder#padding}
     */
    public void setPadding(String multiple) {
        settings.set("padding", multiple);
    }

    /**
     * Limits the lifetime of a session.
     *
     * @param age as {@code PT1H} or, as elsewhere in Logback, {@code 1 hour}
     */
    public void setRotateAfter(String age) {
        settings.set("rotateAfter", isoTime(age.trim()));
    }

    /**
     * Limits the number of values of a session.
     *
     * @param values a number, as in {@link LogSealer.Builder#rotateAfterValues}
     */
    public void setRotateAfterValues(String values) {
        settings.set("rotateAfterValues", values);
    }

    /**
     * A file that gets all headers, too.
     *
     * @param file as in {@link LogSealer.Builder#sideFile}
     */
    public void setSideFile(String file) {
        settings.set("sideFile", file);
    }

    /**
     * Sets the time after which a warning says that no log has the header of a session.
     *
     * @param time as {@code PT10S} or {@code 10 seconds}; see {@link LogSealer.Builder#headerWithin}
     */
    public void setHeaderWithin(String time) {
        settings.set("headerWithin", isoTime(time.trim()));
    }

    /**
     * Chooses the engine.
     *
     * @param engine {@code auto}, {@code native} or {@code pure-java}
     */
    public void setEngine(String engine) {
        settings.set("engine", engine);
    }

    /** Installs the sealer. If that fails, no sealer has the name from then on. */
    @Override
    public void start() {
        WithoutHeaders.watch(this);
        installed = settings.install(name, Path.of(""), (why, cause) -> {
            String reason = "cannot create sealer \"" + name + "\", so values are replaced with ~s1x~ markers: " + why;
            Statuses.error(this, reason, cause);
            if (getContext() != null) {
                getContext().putObject(failureKey(name), reason);
            }
        });
        if (installed != null) {
            addInfo("sealer \"" + name + "\" is installed, engine " + installed.engine());
        }
    }

    /** The error that tells why a configuration has no sealer of that name; null if it has one, or nobody asked for it. */
    static String failure(Context context, String name) {
        return context.getObject(failureKey(name)) instanceof String reason ? reason : null;
    }

    private static String failureKey(String name) {
        return SealerConfig.class.getName() + ":" + name;
    }

    /** Closes the sealer, if no other took its name. */
    @Override
    public void stop() {
        Sealers.remove(name, installed);
        installed = null;
    }

    @Override
    public boolean isStarted() {
        return installed != null;
    }

    /** Turns a time of Logback into one that settings take. Another text stays as it is, for them to read or refuse. */
    private static String isoTime(String age) {
        try {
            return Duration.ofMillis(ch.qos.logback.core.util.Duration.valueOf(age).getMilliseconds()).toString();
        } catch (IllegalArgumentException | IllegalStateException notOfLogback) {
            return age;
        }
    }

    /** Called when the appenders have been stopped. */
    @Override
    public void onReset(LoggerContext context) {
        stop();
    }

    /** Called when the appenders have been stopped. */
    @Override
    public void onStop(LoggerContext context) {
        stop();
    }
}
