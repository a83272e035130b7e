package sealmark.logback;

import ch.qos.logback.classic.pattern.ThrowableHandlingConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.pattern.CompositeConverter;
import ch.qos.logback.core.pattern.Converter;
import ch.qos.logback.core.pattern.ConverterUtil;
import java.util.List;
import java.util.Map;
import org.slf4j.event.KeyValuePair;
import sealmark.log.Label;
import sealmark.log.Sealed;
import sealmark.log.Sealers;
import sealmark.log.ValueNames;

/**
 * The conversion word {@code %sealed}:
 *
 * <pre>{@code <conversionRule conversionWord="sealed" class="sealmark.logback.SealedConverter"/>}</pre>
 *
 * {@code %sealed(%msg){message}} seals the text between the parentheses, under the label {@code message}. A token of a {@link
 * Sealed} argument in it stays as it is; {@code verify} counts a copy if the pattern has {@code %msg} a second time.
 *
 * <p>{@code %sealed{email}} seals the value that the event has under that name, in its MDC or else among its key-value pairs. If
 * there is none, it writes nothing; {@code %sealed{email:-none}} writes {@code none}. A second option names another sealer than
 * {@code default}: {@code %sealed(%msg){message, audit}}.
 *
 * <p>In an appender that is not of this package, no key could open the tokens unless the sealer has a side file: values become
 * markers then, and an error among Logback's statuses names the appender.
 *
 * <p>Logback adds {@code %ex} to a pattern without a word for exceptions. A pattern with {@code %sealed} gets {@code %sealedEx}
 * instead. Exceptions are in the clear if the pattern itself has {@code %ex}, and if an appender writes them without its pattern:
 * {@code SyslogAppender} needs {@code <throwableExcluded>true</throwableExcluded>}, and {@code SMTPAppender} a {@code <subject>}
 * without {@code %m}.
 */
public final class SealedConverter extends CompositeConverter<ILoggingEvent> implements SealingWord {
    private static final String DEFAULT_MARK = ":-";

    private String name = "value";
    private String otherwise = "";
    private Label label = Label.of(name);
    private String sealer = Sealers.DEFAULT;
    private SealedThrowableConverter exceptions;
    private ValueNames counts;

    /** A converter without options yet. */
    public SealedConverter() {}

    @Override
    public void start() {
        List<String> options = getOptionList();
        if (options == null || options.isEmpty()) {
            Statuses.error(this, "%sealed has no label\nhint: %sealed(%msg){message}");
        } else {
            setName(options.get(0));
        }
        sealer = sealer();
        WithoutHeaders.watch(this);
        if (getFormattingInfo() != null && getFormattingInfo().getMax() < Integer.MAX_VALUE) {
            Statuses.error(this, "a width truncates tokens, so they cannot be opened\nhint: %sealed(%.-40msg){message}");
        }
        if (exceptions != null) {
            exceptions.setSealer(sealer);
            addInfo("the pattern has no conversion word for exceptions, so %sealedEx was added\n"
                    + "hint: %nopex leaves them out");
        }
        if (super.getChildConverter() == null) {
            counts = UnmatchedNames.of(this, List.of(name), "%sealed",
                    "write keys exactly as in the MDC or the key-value pairs: %sealed{email}");
        }
        super.start();
    }

    @Override
    public String sealer() {
        List<String> options = getOptionList();
        return options != null && options.size() > 1 ? options.get(1) : Sealers.DEFAULT;
    }

    /**
     * Logback asks for this when it looks for a word for exceptions, before converters start, to add {@code %ex} where it
     * finds none: it finds ours.
     */
    @Override
    public Converter<ILoggingEvent> getChildConverter() {
        Converter<ILoggingEvent> child = super.getChildConverter();
        if (!isStarted() && exceptions == null && !handlesThrowable(child) && !handlesThrowable(getNext())) {
            exceptions = new SealedThrowableConverter();
            ConverterUtil.findTail(this).setNext(exceptions);
        }
        return child;
    }

    private static boolean handlesThrowable(Converter<ILoggingEvent> head) {
        for (Converter<ILoggingEvent> at = head; at != null; at = at.getNext()) {
            if (at instanceof ThrowableHandlingConverter
                    || (at instanceof CompositeConverter<ILoggingEvent> composite
                            && handlesThrowable(composite.getChildConverter()))) {
                return true;
            }
        }
        return false;
    }

    private void setName(String option) {
        int mark = option.indexOf(DEFAULT_MARK);
        name = mark < 0 ? option : option.substring(0, mark);
        otherwise = mark < 0 ? "" : option.substring(mark + DEFAULT_MARK.length());
        label = Label.fit(name);
    }

    @Override
    public String convert(ILoggingEvent event) {
        return getChildConverter() == null ? sealedEntry(event) : super.convert(event);
    }

    @Override
    protected String transform(ILoggingEvent event, String text) {
        return WithoutHeaders.sealed(this, sealer, label, text);
    }

    private String sealedEntry(ILoggingEvent event) {
        Object value = entry(event);
        counts.record();
        if (value != null) {
            counts.matched(name);
        }
        return value == null ? otherwise : value instanceof Sealed sealed ? sealed.toString()
                : WithoutHeaders.sealed(this, sealer, label, value);
    }

    private Object entry(ILoggingEvent event) {
        Map<String, String> context = event.getMDCPropertyMap();
        String value = context == null ? null : context.get(name);
        if (value != null || event.getKeyValuePairs() == null) {
            return value;
        }
        for (KeyValuePair pair : event.getKeyValuePairs()) {
            if (name.equals(pair.key)) {
                return pair.value;
            }
        }
        return null;
    }
}
