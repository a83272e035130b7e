package sealmark.logback;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.net.AbstractSocketAppender;
import ch.qos.logback.core.net.SMTPAppenderBase;
import ch.qos.logback.core.net.SyslogAppenderBase;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.ContextAware;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;
import sealmark.log.Tokens;

/**
 * Tells of appenders that are not of this package, and whose pattern seals: nobody could open tokens there, so values become
 * markers. Logback does not tell a conversion word which appender it stands in, so this is known when the configuration is
 * complete, or else when the first value comes.
 */
final class WithoutHeaders extends ContextListener {
    private final AtomicBoolean hasTold = new AtomicBoolean();

    private WithoutHeaders() {}

    /** Looks for such appenders when the configuration is complete; called by each word that seals, and for each sealer. */
    static void watch(ContextAware word) {
        if (word.getContext() instanceof LoggerContext context) {
            of(context);
        }
    }

    private static WithoutHeaders of(LoggerContext context) {
        return ContextListener.of(context, WithoutHeaders.class, WithoutHeaders::new);
    }

    /** The token of a value that a word writes. */
    static String sealed(ContextAware word, String sealer, Label label, Object value) {
        return Tokens.seal(sealer(word, sealer), label, value);
    }

    /** The sealer for a value that a word writes; one that makes markers where no reader could open a token. */
    static LogSealer sealer(ContextAware word, String name) {
        return Sealers.forLine(name, () -> {
            if (word.getContext() instanceof LoggerContext context) {
                of(context).tell(context, true);
            }
        });
    }

    @Override
    public void onStart(LoggerContext context) {
        tell(context, false);
        Map<String, Appender<?>> all = new LinkedHashMap<>();
        context.getLoggerList().forEach(logger -> collect(logger, all, appender -> true));
        // Other kinds, such as SiftingAppender, may have ours inside.
        if (!Sealers.isInstalled(Sealers.DEFAULT) || !Sealers.needsHeader(Sealers.DEFAULT)) {
            return;
        }
        if (!all.isEmpty() && all.values().stream().allMatch(WithoutHeaders::isStreamOfAnother)) {
            Statuses.warn(this, "no appender writes headers, so values of Sealed.of in messages could not be opened\n"
                    + "hint: an appender of the package sealmark.logback, or a <sideFile> of the sealer");
        }
        all.forEach((name, appender) -> {
            if (isSender(appender)) {
                Statuses.warn(this, "appender [" + name + "] of class " + appender.getClass().getName()
                        + " sends no headers, so values of Sealed.of in messages could not be opened by its receiver\nhint: "
                        + hint(appender) + ", or a <sideFile> of the sealer");
            }
        });
    }

    private void tell(LoggerContext context, boolean isCertain) {
        // Called for each value that becomes a marker.
        if (hasTold.get()) {
            return;
        }
        Map<String, Appender<?>> found = new LinkedHashMap<>();
        for (Logger logger : context.getLoggerList()) {
            collect(logger, found, WithoutHeaders::sealsWithoutHeaders);
        }
        if ((isCertain || !found.isEmpty()) && hasTold.compareAndSet(false, true)) {
            found.forEach((name, appender) -> Statuses.error(this, "appender [" + name + "] of class "
                    + appender.getClass().getName() + " writes no headers, so the values that its pattern seals become"
                    + " markers\nhint: " + hint(appender)));
            if (found.isEmpty()) {
                Statuses.error(this, "a pattern with sealing words is in an appender that writes no headers, so its values"
                        + " become markers\nhint: an appender of the package sealmark.logback, or a <sideFile> of the sealer");
            }
        }
    }

    private static void collect(AppenderAttachable<?> attachable, Map<String, Appender<?>> found,
            Predicate<Appender<?>> isWanted) {
        for (Iterator<? extends Appender<?>> all = attachable.iteratorForAppenders(); all.hasNext();) {
            Appender<?> appender = all.next();
            // That one sends the headers of those inside.
            boolean isOurs = appender instanceof SealedRecordAppender;
            if (!isOurs && appender instanceof AppenderAttachable<?> inner) {
                collect(inner, found, isWanted);
            } else if (isWanted.test(appender)) {
                found.put(String.valueOf(appender.getName()), appender);
            }
        }
    }

    private static boolean isStreamOfAnother(Appender<?> appender) {
        return appender instanceof OutputStreamAppender && !(appender instanceof SealedAppender);
    }

    /** True for appenders of Logback, logstash-logback-encoder, OpenTelemetry and for Kafka, which send each record by itself. */
    private static boolean isSender(Appender<?> appender) {
        String type = appender.getClass().getName().toLowerCase(Locale.ROOT);
        return appender instanceof SyslogAppenderBase || appender instanceof SMTPAppenderBase
                || appender instanceof AbstractSocketAppender || type.startsWith("net.logstash.logback.appender.")
                || type.startsWith("io.opentelemetry.") || type.contains("kafka");
    }

    private static boolean sealsWithoutHeaders(Appender<?> appender) {
        PatternWords words = appender instanceof SyslogAppenderBase<?> syslog ? PatternWords.of(syslog.getLayout())
                : appender instanceof SMTPAppenderBase<?> mail ? PatternWords.of(mail.getLayout())
                : isStreamOfAnother(appender) ? PatternWords.of(((OutputStreamAppender<?>) appender).getEncoder()) : null;
        return words != null && words.sealing().stream().anyMatch(one -> Sealers.needsHeader(one.sealer()));
    }

    private static String hint(Appender<?> appender) {
        if (isSender(appender)) {
            return "attach it to an appender of class sealmark.logback.SealedRecordAppender with <appender-ref ref=\""
                    + appender.getName() + "\"/>";
        }
        String type = appender instanceof RollingFileAppender ? "SealedRollingFileAppender"
                : appender instanceof ConsoleAppender ? "SealedConsoleAppender" : "SealedFileAppender";
        return "<appender name=\"" + appender.getName() + "\" class=\"sealmark.logback." + type + "\">";
    }
}
