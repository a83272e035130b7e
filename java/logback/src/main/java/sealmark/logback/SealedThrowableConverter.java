package sealmark.logback;

import ch.qos.logback.classic.pattern.ThrowableHandlingConverter;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import java.util.List;
import java.util.function.UnaryOperator;
import sealmark.log.Label;
import sealmark.log.Sealers;

/**
 * The conversion word {@code %sealedEx}: writes exceptions as Logback's {@code %ex} does, with each message sealed, those of causes
 * and suppressed exceptions, too. Classes and frames stay in the clear.
 *
 * <pre>{@code <conversionRule conversionWord="sealedEx" class="sealmark.logback.SealedThrowableConverter"/>}</pre>
 *
 * The options are those of {@code %ex}, and also {@code label=error} for a label other than {@code exception}, and
 * {@code sealer=audit} for a sealer other than {@code default}. With logstash-logback-encoder, use it as the
 * {@code <throwableConverter>}. An inner converter then writes the stack traces; if it cuts text, it cuts tokens:
 *
 * <pre>{@code
 * <throwableConverter class="sealmark.logback.SealedThrowableConverter">
 *   <converter class="net.logstash.logback.stacktrace.ShortenedThrowableConverter">
 *     <maxDepthPerThrowable>30</maxDepthPerThrowable>
 *   </converter>
 * </throwableConverter>
 * }</pre>
 *
 * <p>If the class of an exception overrides {@code toString}, the text after the class name is sealed, or the whole text if
 * it does not begin with that name.
 */
public final class SealedThrowableConverter extends ThrowableProxyConverter implements SealingWord {
    private static final String LABEL = "label=";

    private Label label = Label.of("exception");
    private String sealer = Sealers.DEFAULT;
    private ThrowableHandlingConverter converter;

    /** A converter that writes whole stack traces. */
    public SealedThrowableConverter() {}

    /**
     * Sets the label.
     *
     * @param label {@code exception} by default
     */
    public void setLabel(String label) {
        this.label = Label.fit(label.trim());
    }

    /**
     * Chooses the sealer.
     *
     * @param sealer {@link Sealers#DEFAULT} by default
     */
    public void setSealer(String sealer) {
        this.sealer = sealer.trim();
    }

    /**
     * Writes stack traces, whose messages are sealed before it sees them.
     *
     * @param converter is started and stopped by the caller
     */
    public void setConverter(ThrowableHandlingConverter converter) {
        this.converter = converter;
    }

    @Override
    public void start() {
        List<String> options = getOptionList() == null ? List.of() : getOptionList();
        setLabel(SealingWord.option(options, LABEL, label.toString()));
        setSealer(SealingWord.option(options, SEALER, sealer));
        setOptionList(options.stream().filter(one -> !one.startsWith(LABEL) && !one.startsWith(SEALER)).toList());
        WithoutHeaders.watch(this);
        super.start();
    }

    @Override
    public String sealer() {
        return isStarted() ? sealer : SealingWord.sealer(getOptionList());
    }

    @Override
    public String convert(ILoggingEvent event) {
        if (converter == null || event.getThrowableProxy() == null) {
            return super.convert(event);
        }
        IThrowableProxy throwable = sealed(event.getThrowableProxy());
        return converter.convert(new PassedEvent(event) {
            @Override
            public IThrowableProxy getThrowableProxy() {
                return throwable;
            }
        });
    }

    @Override
    protected String throwableProxyToString(IThrowableProxy throwable) {
        return super.throwableProxyToString(sealed(throwable));
    }

    private IThrowableProxy sealed(IThrowableProxy throwable) {
        UnaryOperator<String> seal = message -> WithoutHeaders.sealed(this, sealer, label, message);
        return new SealedThrowable(throwable, seal);
    }
}
