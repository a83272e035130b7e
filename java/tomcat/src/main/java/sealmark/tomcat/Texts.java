package sealmark.tomcat;

import java.io.CharArrayWriter;

/** Puts the text that an element of Tomcat's wrote into the line, sealed as its pattern's attributes say. */
final class Texts {
    private final Query query;
    private final Tokens tokens;
    private final boolean json;

    /**
     * @param json whether texts are members of an object, {@code "name":"value"}
     */
    Texts(Query query, Tokens tokens, boolean json) {
        this.query = query;
        this.tokens = tokens;
        this.json = json;
    }

    void write(Written written, Selection.Treatment treatment, CharArrayWriter line) {
        char[] chars = written.chars();
        int from = json ? valueStart(chars, written.length()) : 0;
        int to = json ? Math.max(from, written.length() - 1) : written.length();
        line.write(chars, 0, from);
        if (treatment.query() != null) {
            query.write(treatment.query(), chars, from, to, line);
        } else if (Query.isNothing(chars, from, to)) {
            line.write(chars, from, to - from);
        } else {
            tokens.write(treatment.whole(), chars, from, to, line);
        }
        line.write(chars, to, written.length() - to);
    }

    /** Behind {@code "name":"}. */
    private static int valueStart(char[] chars, int length) {
        return Math.min(length, JsonText.closingQuote(chars, 1, length) + "\":\"".length());
    }
}
