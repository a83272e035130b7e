package sealmark.spark;

import java.io.Serializable;
import java.util.Comparator;

/**
 * One fault and where it is.
 *
 * @param kind the word of {@code sealmark log verify --json}
 * @param file the address of the file
 * @param offset the byte, counted from 0 in the file's text, which is the decompressed one
 * @param line counted from 1
 * @param session the id; null if the fault is of no session
 * @param counter the value; null if the fault is of none
 * @param text says it in words
 */
record Finding(String kind, String file, long offset, long line, String session, Long counter, String text)
        implements Serializable {
    static final Comparator<Finding> BY_PLACE = Comparator.comparing(Finding::file).thenComparingLong(Finding::offset)
            .thenComparing(Finding::kind);

    @Override
    public String toString() {
        return "\"" + file + "\", byte " + offset + ", line " + line + ": " + text;
    }
}
