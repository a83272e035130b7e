package sealmark.tomcat;

import java.io.CharArrayWriter;
import sealmark.log.access.Rule;

/** The output of one element of Tomcat's, which is looked at before it goes into the line. */
final class ElementBuffer extends CharArrayWriter {
    /** Room for most request lines. */
    private static final int USUAL = 256;

    ElementBuffer() {
        super(USUAL);
    }

    /**
     * Writes it into a line, sealed as its rule says.
     *
     * @param json whether it is a member of an object, {@code "name":"value"}
     */
    void writeTo(CharArrayWriter line, Rule rule, boolean json) {
        int from = json ? valueStart() : 0;
        int to = json ? Math.max(from, count - 1) : count;
        line.write(buf, 0, from);
        rule.write(buf, from, to, line);
        line.write(buf, to, count - to);
    }

    /** After {@code "name":"}. */
    private int valueStart() {
        int at = 1;
        while (at < count && buf[at] != '"') {
            at += buf[at] == '\\' ? 2 : 1;
        }
        return Math.min(count, Math.min(at, count) + "\":\"".length());
    }
}
