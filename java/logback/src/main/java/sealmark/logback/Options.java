package sealmark.logback;

import java.util.List;
import sealmark.log.Sealers;

/** Options of conversion words that are no names of values. */
final class Options {
    /** Names the sealer. */
    static final String SEALER = "sealer=";
    /** Names the label. */
    static final String LABEL = "label=";

    private Options() {}

    /** The sealer that options name; they may be null. */
    static String sealer(List<String> options) {
        return options == null ? Sealers.DEFAULT
                : options.stream().filter(option -> option.startsWith(SEALER)).reduce((before, last) -> last)
                        .map(option -> option.substring(SEALER.length())).orElse(Sealers.DEFAULT);
    }
}
