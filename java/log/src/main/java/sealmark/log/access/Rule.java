package sealmark.log.access;

import java.io.CharArrayWriter;
import sealmark.log.Label;

/** Seals the text of one element of a pattern. */
public final class Rule {
    /** Null if only the parameters are sealed. */
    private final Label whole;
    private final Query.Kind kind;
    private final Query query;
    private final Values values;

    Rule(Label whole, Query.Kind kind, Query query, Values values) {
        this.whole = whole;
        this.kind = kind;
        this.query = query;
        this.values = values;
    }

    /**
     * Writes a text with tokens in the place of values; a dash, which says that there is none, stays.
     *
     * @param chars has the text, and is not changed
     * @param from where it begins
     * @param to where it ends
     * @param out gets the text for the log
     */
    public void write(char[] chars, int from, int to, CharArrayWriter out) {
        if (whole == null) {
            query.write(kind, chars, from, to, out);
        } else if (Query.isNothing(chars, from, to)) {
            out.write(chars, from, to - from);
        } else {
            values.write(whole, chars, from, to, out);
        }
    }

    /**
     * Seals a text.
     *
     * @param text the text of the element
     * @return the text for the log
     */
    public String sealed(String text) {
        CharArrayWriter out = new CharArrayWriter(text.length());
        write(text.toCharArray(), 0, text.length(), out);
        return out.toString();
    }
}
