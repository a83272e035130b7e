package sealmark.tomcat;

import java.io.CharArrayWriter;

/** What one element of the pattern wrote, to be looked at before it goes into the line. Forgotten after that. */
final class Written extends CharArrayWriter {
    /** Room for most request lines. */
    private static final int USUAL = 256;

    Written() {
        super(USUAL);
    }

    /** The characters themselves; those behind {@link #length} are none. */
    char[] chars() {
        return buf;
    }

    int length() {
        return count;
    }
}
