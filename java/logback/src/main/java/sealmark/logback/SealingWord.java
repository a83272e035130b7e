package sealmark.logback;

import java.util.List;
import sealmark.log.Sealers;

/** A conversion word that seals, as opposed to those that write values in the clear. */
interface SealingWord {
    /** The beginning of the option that names the sealer. */
    String SEALER = "sealer=";

    /** The name of its sealer. */
    String sealer();

    /** The sealer that options name; they may be null. */
    static String sealer(List<String> options) {
        return option(options, SEALER, Sealers.DEFAULT);
    }

    /** The rest of the last option that begins so; {@code otherwise} if there is none. */
    static String option(List<String> options, String start, String otherwise) {
        return options == null ? otherwise
                : options.stream().filter(option -> option.startsWith(start)).reduce((before, last) -> last)
                        .map(option -> option.substring(start.length())).orElse(otherwise);
    }
}
