package sealmark.log.access;

import java.io.CharArrayWriter;

/** Seals the text of one element of a pattern. */
@FunctionalInterface
public interface Rule {
    /**
     * Writes a text with tokens in the place of values; a dash, which stands for a missing value, stays.
     *
     * @param chars has the text, and is not changed
     * @param from where it begins
     * @param to where it ends
     * @param out gets the text for the log
     */
    void write(char[] chars, int from, int to, CharArrayWriter out);

    /**
     * Seals a text.
     *
     * @param text the text of the element
     * @return the text for the log
     */
    default String sealed(String text) {
        CharArrayWriter out = new CharArrayWriter(text.length());
        write(text.toCharArray(), 0, text.length(), out);
        return out.toString();
    }
}
