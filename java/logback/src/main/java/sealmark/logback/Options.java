package sealmark.logback;

/** Options of conversion words that are no names of values. */
final class Options {
    /** Names the sealer. */
    static final String SEALER = "sealer=";
    /** Names the label. */
    static final String LABEL = "label=";

    private Options() {}
}
