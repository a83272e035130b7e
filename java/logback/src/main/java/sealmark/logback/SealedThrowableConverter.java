package sealmark.logback;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import sealmark.log.Label;
import sealmark.log.Sealers;

/**
 * The conversion word {@code %sealedEx}: as Logback's {@code %ex}, with classes and frames in clear and the message of each
 * exception sealed, those of causes and suppressed ones, too.
 *
 * <pre>{@code <conversionRule conversionWord="sealedEx" class="sealmark.logback.SealedThrowableConverter"/>}</pre>
 *
 * Options are those of {@code %ex}, and besides {@code label=error} for another label than {@code exception}, and
 * {@code sealer=audit} for another sealer than {@code default}. With logstash-logback-encoder it is a
 * {@code <throwableConverter>}.
 *
 * <p>An exception with a {@code toString} of its own is sealed behind its class, if it begins with that, else all of it.
 */
public final class SealedThrowableConverter extends ThrowableProxyConverter {
    private Label label = Label.of("exception");
    private String sealer = Sealers.DEFAULT;

    /** A converter that writes whole stack traces. */
    public SealedThrowableConverter() {}

    @Override
    public void start() {
        List<String> others = new ArrayList<>();
        for (String option : getOptionList() == null ? List.<String>of() : getOptionList()) {
            if (option.startsWith(Options.LABEL)) {
                label = Label.fit(option.substring(Options.LABEL.length()));
            } else if (option.startsWith(Options.SEALER)) {
                sealer = option.substring(Options.SEALER.length());
            } else {
                others.add(option);
            }
        }
        setOptionList(others);
        super.start();
    }

    @Override
    protected String throwableProxyToString(IThrowableProxy throwable) {
        UnaryOperator<String> seal = message -> Sealers.find(sealer).seal(label, message);
        return super.throwableProxyToString(new SealedThrowable(throwable, seal));
    }
}
