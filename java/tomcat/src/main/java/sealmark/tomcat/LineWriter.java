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
    private static final int LABEL = 64;
    /** With the tildes around it. */
    private static final int SESSION = 18;

    private final OwnLines own;
    private final Tokens tokens;
    private final Passage passage;
    /** The session of the token met last. */
    private String last = "none";

    /** Goes on with a file that was opened just now. */
    LineWriter(PrintWriter file, OwnLines own, Tokens tokens, Passage passage) {
        super(file);
        this.own = own;
        this.tokens = tokens;
        this.passage = passage;
        own.opening();
    }

    @Override
    public void write(char[] chars, int offset, int length) {
        String line = new String(chars, offset, length);
        if (line.startsWith(TOKEN) && (line.startsWith("h~", TOKEN.length()) || line.startsWith("z~", TOKEN.length()))) {
            writeSealed(chars, offset, length);
            return;
        }
        if (!isAllOfLast(line)) {
            writeOwn(own.before(line));
        }
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

    /**
     * Whether every token is of the session whose token was met last, as nearly always; this file has its header then. To
     * see that takes less time than to ask, and all requests wait for one another here.
     */
    private boolean isAllOfLast(String line) {
        for (int at = line.indexOf(TOKEN); at >= 0; at = line.indexOf(TOKEN, at + 1)) {
            int session = sessionOf(line, at);
            if (session >= 0 && !line.startsWith(last, session)) {
                last = line.substring(session, session + SESSION);
                return false;
            }
        }
        return true;
    }

    /** Where the session of a token stands, with a tilde on both sides, as {@link OwnLines} sees it; negative for none. */
    private static int sessionOf(String line, int token) {
        int label = token + TOKEN.length() + 2;
        if (label >= line.length() || "apjq".indexOf(line.charAt(label - 2)) < 0 || line.charAt(label - 1) != '~') {
            return -1;
        }
        int tilde = line.indexOf('~', label);
        int end = tilde + SESSION - 1;
        boolean isWhole = tilde > label && tilde <= label + LABEL && end < line.length() && line.charAt(end) == '~';
        return isWhole ? tilde : -1;
    }

    private void writeOwn(String lines) {
        if (!lines.isEmpty()) {
            write(lines);
        }
    }
}
