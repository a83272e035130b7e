package sealmark.logback.access;

import ch.qos.logback.access.common.spi.IAccessEvent;
import ch.qos.logback.core.pattern.PatternLayoutEncoderBase;
import sealmark.log.Sealers;

/**
 * Writes the lines of logback-access's {@code PatternLayoutEncoder}, in which tokens replace the values of query strings and
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
 * <p>{@code sealmark log open} restores the log that the other encoder would have written. A value that cannot be sealed, for
 * example because there is no key, becomes a marker, {@code ~s1x~name~}. Paths stay in the clear unless {@link #setSeal} names
 * them. Bodies, whole requests ({@code %fullRequest}) and all headers in one word ({@code %header} without a name) are sealed
 * as one value unless {@link #setClear} names them. Do not limit the width of a word: that would cut its token.
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
     *     <code>%header{Authorization}</code>; {@code %header} stands for all headers that the pattern writes with this word
     */
    public void setSeal(String seal) {
        this.seal = seal;
    }

    /**
     * Names parameters that are sealed even if {@link #setClear} has {@code *}, or an element that shows them.
     *
     * @param names with commas or blanks between them, regardless of case; one that matches nothing causes a warning, after
     *     1,000 requests and when the encoder stops
     */
    public void setNames(String names) {
        this.names = names;
    }

    /**
     * Names parameters and conversion words that stay in the clear.
     *
     * @param clear parameters, written exactly as clients send them, or {@code *} for all; and conversion words as in the
     *     pattern, with commas or blanks between them
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
