package sealmark.tomcat;

import java.io.CharArrayWriter;
import sealmark.log.access.Rule;

/** Puts the text that an element of Tomcat's wrote into the line, sealed as its rule says. */
final class Texts {
    private Texts() {}

    /**
     * Writes one element.
     *
     * @param json whether the text is a member of an object, {@code "name":"value"}
     */
    static void write(ElementBuffer written, Rule rule, boolean json, CharArrayWriter line) {
        char[] chars = written.chars();
        int from = json ? valueStart(chars, written.length()) : 0;
        int to = json ? Math.max(from, written.length() - 1) : written.length();
        line.write(chars, 0, from);
        rule.write(chars, from, to, line);
        line.write(chars, to, written.length() - to);
    }

    /** After {@code "name":"}. */
    private static int valueStart(char[] chars, int length) {
        int at = 1;
        while (at < length && chars[at] != '"') {
            at += chars[at] == '\\' ? 2 : 1;
        }
        return Math.min(length, Math.min(at, length) + "\":\"".length());
    }
}
