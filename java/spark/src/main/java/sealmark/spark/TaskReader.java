package sealmark.spark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import sealmark.log.reader.SealedText;
import sealmark.log.reader.TokenReader;

/** Reads logs within one task, which has one core. */
final class TaskReader implements AutoCloseable {
    private final TokenReader tokens;
    private final Runnable wipe;
    private final Lacking lacking;
    private long longLines;
    private boolean isClosed;

    TaskReader(TokenReader tokens, Runnable wipe, HeaderTable headers) {
        this.tokens = tokens;
        this.wipe = wipe;
        this.lacking = new Lacking(headers, lines -> tokens.learn(lines, 0, lines.length));
    }

    /** Opens a log to its end. */
    void open(InputStream in, OutputStream out) throws IOException {
        Lines lines = new Lines(in);
        while (lines.next()) {
            if (lines.kind() == Lines.Kind.WHOLE) {
                lacking.give(lines.text(), lines.end());
                tokens.open(lines.text(), 0, lines.end(), out);
            } else {
                out.write(lines.text(), 0, lines.end());
                skip(lines.kind());
            }
        }
    }

    /** Authenticates a log to its end. */
    void verify(InputStream in, FileLedger ledger) throws IOException {
        Lines lines = new Lines(in);
        long line = 1;
        while (lines.next()) {
            byte[] text = lines.text();
            if (lines.kind() != Lines.Kind.WHOLE) {
                ledger.longLine(lines.kind(), lines.offset(), line);
                line += lines.kind() == Lines.Kind.LAST_PIECE ? 1 : 0;
                continue;
            }
            lacking.give(text, lines.end());
            for (int from = 0; from < lines.end(); ) {
                int end = Lines.end(text, from, lines.end());
                ledger.at(lines.offset(), line++);
                tokens.read(text, from, end, ledger);
                from = end;
            }
        }
    }

    TokenReader.Facts facts(String session) {
        return tokens.facts(session);
    }

    /** Counts a line that is too long to be opened, at its last piece. */
    void skip(Lines.Kind kind) {
        longLines += kind == Lines.Kind.LAST_PIECE ? 1 : 0;
    }

    /** The value of a text that is a token; any other text, and a token that does not open, stays. */
    synchronized byte[] value(byte[] text) {
        requireOpen();
        if (text.length == 0 || text[0] != '~') {
            return text;
        }
        lacking.give(text, text.length);
        return tokens.openToken(text).orElse(text);
    }

    /** The opened line; null for a line that the log has for itself, which {@code sealmark log open} leaves out. */
    synchronized byte[] line(byte[] line) {
        requireOpen();
        lacking.give(line, line.length);
        ByteArrayOutputStream opened = new ByteArrayOutputStream(line.length);
        try {
            tokens.open(line, 0, line.length, opened);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return opened.size() == 0 && line.length > 0 ? null : opened.toByteArray();
    }

    /** The opened text of a column: the value of a token, or text with the values of its tokens. */
    byte[] text(byte[] text) {
        if (SealedText.label(text).isPresent()) {
            return value(text);
        }
        byte[] opened = line(text);
        // A column has no line to leave out.
        return opened == null ? text : opened;
    }

    /** The counts of all that was opened so far. */
    Counts counts() {
        return Counts.of(tokens.opened(), tokens.report(), longLines);
    }

    /** Spark may end a task while a thread beside the task's own opens a value in native code. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            tokens.close();
            wipe.run();
        }
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the task of Spark has ended, and its keys are wiped");
        }
    }
}
