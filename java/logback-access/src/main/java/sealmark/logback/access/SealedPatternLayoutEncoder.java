package sealmark.logback.access;

import ch.qos.logback.access.common.spi.IAccessEvent;
import ch.qos.logback.core.pattern.PatternLayoutEncoderBase;
import sealmark.log.Sealers;

/**
 * Writes the lines of logback-access's {@code PatternLayoutEncoder}, in which the values of query strings are tokens, and
 * everything else that {@link #setSeal} names. It belongs in an appender of the package {@code sealmark.logback}, in {@code
 * logback-access.xml}:
 *
 * <pre>{@code
 * <appender name="ACCESS" class="sealmark.logback.SealedFileAppender">
 *   <sealer class="sealmark.logback.SealerConfig"><recipientsFile>recipients.txt</recipientsFile></sealer>
 *   <file>access.log</file>
 *   <encoder class="sealmark.logback.access.SealedPatternLayoutEncoder"><pattern>combined</pattern></encoder>
 * </appender>
 * }</pre>
 *
 * <p>{@code sealmark log open} makes the log that the other encoder would have written. A value that cannot be sealed, for want
 * of a key for instance, becomes a marker, {@code ~s1x~name~}. Paths stay in the clear unless {@link #setSeal} names them.
 * Bodies, whole requests, such as {@code %fullRequest}, and all headers in one word, {@code %header} without a name, are sealed
 * as one value unless {@link #setClear} names them. A width that cuts a word cuts its token, too: give none.
 */
public final class SealedPatternLayoutEncoder extends PatternLayoutEncoderBase<IAccessEvent> {
    private String seal;
    private String names;
    private String clear;
    private String sealer = Sealers.DEFAULT;

    /** An encoder that has no pattern yet. */
    public SealedPatternLayoutEncoder() {}

    /**
     * Chooses conversion words that are sealed as a whole, besides the values of parameters, which are sealed wherever the
     * pattern shows them.
     *
     * @param seal words as in the pattern, with commas or blanks between them: {@code %h}, {@code %u},
     *     <code>%header{Authorization}</code>; {@code %header} is all headers that the pattern calls so
     */
    public void setSeal(String seal) {
        this.seal = seal;
    }

    /**
     * Names parameters that are sealed even if {@link #setClear} has all, or an element that shows them.
     *
     * @param names with commas or blanks between them, regardless of case; one that matches nothing is a warning, after 1,000
     *     requests and when the encoder stops
     */
    public void setNames(String names) {
        this.names = names;
    }

    /**
     * Names what stays in the clear.
     *
     * @param clear parameters, written just as clients do, or {@code *} for all, and conversion words as in the pattern, with
     *     commas or blanks between them
     */
    public void setClear(String clear) {
        this.clear = clear;
    }

    /**
     * Names the sealer.
     *
     * @param sealer {@link Sealers#DEFAULT} by default
     */
    public void setSealer(String sealer) {
        this.sealer = sealer.trim();
    }

    @Override
    public void start() {
        SealedPatternLayout sealed = new SealedPatternLayout(seal, names, clear, sealer);
        sealed.setContext(context);
        sealed.setPattern(getPattern());
        sealed.start();
        layout = sealed;
        super.start();
    }
}
