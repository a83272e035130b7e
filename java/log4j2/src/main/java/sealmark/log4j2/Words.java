package sealmark.log4j2;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The words of an attribute that may have several. */
final class Words {
    private static final Pattern BETWEEN = Pattern.compile("[\\s,]+");

    private Words() {}

    /**
     * Splits at commas and white space.
     *
     * @param text null has none
     */
    static List<String> of(String text) {
        return text == null
                ? List.of()
                : BETWEEN.splitAsStream(text).filter(Predicate.not(String::isEmpty)).toList();
    }
}
