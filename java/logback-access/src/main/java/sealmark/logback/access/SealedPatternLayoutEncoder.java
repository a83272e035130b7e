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
 * <p>{@code sealmark log open} makes the log that the other encoder would have written. A value that cannot be sealed, for
 * want of a key for instance, becomes a marker, {@code ~s1x~name~}. Paths stay in the clear unless {@link #setSeal} names
 * them. Bodies and whole requests, such as {@code %fullRequest}, are sealed as one value. A width that cuts a word cuts its
 * token, too: give none.
 */
public final class SealedPatternLayoutEncoder extends PatternLayoutEncoderBase<IAccessEvent> {
    private String seal = "query";
    private String names;
    private String clear;
    private String sealer = Sealers.DEFAULT;

    /** An encoder that has no pattern yet. */
    public SealedPatternLayoutEncoder() {}

    /**
     * Chooses the conversion words and parameters to seal.
     *
     * @param seal words with commas or blanks between them: {@code query}, which is the default, for the values of parameters
     *     wherever the pattern shows them, and conversion words as in the pattern that are sealed as a whole: {@code %h},
     *     {@code %u}, <code>%header{Authorization}</code>; {@code %header} is all headers that the pattern calls so
     */
    public void setSeal(String seal) {
        this.seal = seal;
    }

    /**
     * Chooses the parameters to seal.
     *
     * @param names with commas or blanks between them, upper and lower case being the same; all by default; one that matches
     *     nothing is a warning, after 1,000 requests and when the encoder stops
     */
    public void setNames(String names) {
        this.names = names;
    }

    /**
     * Chooses parameters that stay in the clear if all others are sealed.
     *
     * @param clear with commas or blanks between them, written just as clients do; none by default
     */
    public void setClear(String clear) {
        this.clear = clear;
    }

    /**
     * Names the sealer.
     *
     * @param sealer {@link Sealers#DEFAULT}, if nobody calls this
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
