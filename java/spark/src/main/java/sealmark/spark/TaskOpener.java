package sealmark.spark;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import sealmark.log.reader.LogOpener;
import sealmark.log.reader.SealedText;

/** Opens text within one task, which has one core. */
final class TaskOpener implements AutoCloseable {
    private final LogOpener opener;
    private final Runnable wipe;
    private final Lacking lacking;
    private long longLines;

    TaskOpener(LogOpener opener, Runnable wipe, HeaderTable headers) {
        this.opener = opener;
        this.wipe = wipe;
        this.lacking = new Lacking(headers);
    }

    /** Opens a log to its end. */
    void open(InputStream in, OutputStream out) throws IOException {
        Lines lines = new Lines(in);
        while (lines.next()) {
            if (lines.kind() == Lines.Kind.WHOLE) {
                byte[] opened = lines(lines.text(), lines.end());
                out.write(opened);
                Arrays.fill(opened, (byte) 0);
            } else {
                out.write(lines.text(), 0, lines.end());
                skip(lines.kind());
            }
        }
    }

    /** Counts a line that is too long to be opened, at its last piece. */
    void skip(Lines.Kind kind) {
        longLines += kind == Lines.Kind.LAST_PIECE ? 1 : 0;
    }

    /** The opened form of whole lines, without the log's own. */
    synchronized byte[] lines(byte[] text, int to) {
        lacking.give(text, 0, to, opener::learn);
        return opener.open(text.length == to ? text : Arrays.copyOf(text, to));
    }

    /** The value of a text that is a token; any other text, and a token that does not open, stays. */
    synchronized byte[] value(byte[] text) {
        if (text.length == 0 || text[0] != '~') {
            return text;
        }
        lacking.give(text, 0, text.length, opener::learn);
        return opener.openToken(new String(text, ISO_8859_1)).orElse(text);
    }

    /** The opened line; null for a line that the log has for itself, which {@code sealmark log open} leaves out. */
    byte[] line(byte[] line) {
        byte[] opened = lines(line, line.length);
        return opened.length == 0 && line.length > 0 ? null : opened;
    }

    /** The opened text of a column: the value of a token, or text with the values of its tokens. */
    byte[] text(byte[] text) {
        if (SealedText.label(text).isPresent()) {
            return value(text);
        }
        byte[] opened = lines(text, text.length);
        // A column has no line to leave out.
        return opened.length == 0 ? text : opened;
    }

    /** The counts of all that was opened so far. */
    Counts counts() {
        return Counts.of(opener.report(), longLines);
    }

    @Override
    public void close() {
        opener.close();
        wipe.run();
    }
}
