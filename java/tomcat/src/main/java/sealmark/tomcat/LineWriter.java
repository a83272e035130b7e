package sealmark.tomcat;

import java.io.CharArrayWriter;
import java.io.PrintWriter;
import sealmark.log.Label;
import sealmark.log.OwnLines;

/**
 * A file of the log: writes the lines of our own that it needs between those of requests. The valve writes each of those in
 * one piece, while it holds the file's lock.
 */
final class LineWriter extends PrintWriter {
    private static final String TOKEN = "~s1";
    private static final Label LINE = Label.of("line");

    private final OwnLines own;
    private final Tokens tokens;
    private final Passage passage;

    /**
     * @param own knows that the file was opened just now
     */
    LineWriter(PrintWriter file, OwnLines own, Tokens tokens, Passage passage) {
        super(file);
        this.own = own;
        this.tokens = tokens;
        this.passage = passage;
    }

    @Override
    public void write(char[] chars, int offset, int length) {
        String line = new String(chars, offset, length);
        if (line.startsWith(TOKEN) && (line.startsWith("h~", TOKEN.length()) || line.startsWith("z~", TOKEN.length()))) {
            writeSealed(chars, offset, length);
            return;
        }
        writeOwn(own.before(line));
        super.write(chars, offset, length);
    }

    /** Tokens of sessions that have ended do not wait for the next request. Some Tomcats call this without a lock. */
    @Override
    public void flush() {
        passage.file().lock();
        try {
            writeOwn(own.before(""));
            super.flush();
        } finally {
            passage.file().unlock();
        }
    }

    /** No line is on its way from here on, until the valve lets them. */
    @Override
    public void close() {
        passage.close();
        writeOwn(own.closing());
        super.close();
    }

    /** A line that a reader would take for one of ours, and take away. */
    private void writeSealed(char[] chars, int offset, int length) {
        int end = offset + length - System.lineSeparator().length();
        CharArrayWriter sealed = new CharArrayWriter();
        tokens.write(LINE, chars, offset, end, sealed);
        sealed.write(chars, end, offset + length - end);
        char[] line = sealed.toCharArray();
        writeOwn(own.before(new String(line)));
        super.write(line, 0, line.length);
    }

    private void writeOwn(String lines) {
        if (!lines.isEmpty()) {
            write(lines);
        }
    }
}
