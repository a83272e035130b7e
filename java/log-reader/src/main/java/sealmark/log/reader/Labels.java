package sealmark.log.reader;

import java.util.List;
import java.util.Set;

/**
 * The labels of the tokens to open; all if none is named.
 *
 * @param encloses true if a value is wanted, too, that has a wanted one in it: {@code user} for {@code user.email}
 */
record Labels(List<String> named, boolean encloses) {
    static final Labels ALL = new Labels(List.of(), false);

    boolean isAll() {
        return named.isEmpty();
    }

    /** The name because of which a token is wanted; null if it is not. */
    String match(String label) {
        if (named.contains(label)) {
            return label;
        }
        return encloses ? named.stream().filter(one -> one.startsWith(label + ".")).findFirst().orElse(null) : null;
    }

    /** Warns of labels that no token has. */
    void warnOfMissing(Set<String> seen) {
        for (String label : named) {
            if (!seen.contains(label)) {
                Say.warning("no token that was read has the label " + Say.quoted(label),
                        "`sealmark log inspect` lists the labels of a log");
            }
        }
    }
}
