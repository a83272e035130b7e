package sealmark.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
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
                give(lines.text(), lines.end());
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
            give(text, lines.end());
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

    /** Closing tokens count in a log, so that all sessions that it names are learned. */
    private void give(byte[] text, int to) {
        lacking.collect(text, 0, to);
        lacking.give(text, 0, to);
    }

    /** The value of a text that is a token; empty for any other text, and for a token that does not open. */
    synchronized Optional<TokenReader.Opened> value(HeapText text) {
        requireOpen();
        return tokens.openToken(text.bytes(), text.from(), text.to(),
                () -> lacking.give(text.bytes(), text.from(), text.to()));
    }

    /** The opened line; empty for a line that the log has for itself, which {@code sealmark log open} leaves out. */
    synchronized Optional<TokenReader.Opened> line(HeapText line) {
        requireOpen();
        lacking.collect(line.bytes(), line.from(), line.to());
        return tokens.openLine(line.bytes(), line.from(), line.to(),
                () -> lacking.give(line.bytes(), line.from(), line.to()));
    }

    /** The opened text of a column: the value of a token, or text with the values of its tokens. */
    byte[] text(byte[] text) {
        HeapText whole = new HeapText(text, 0, text.length);
        boolean isToken = SealedText.label(text, 0, text.length).isPresent();
        // A column has no line to leave out.
        return (isToken ? value(whole) : line(whole)).map(TokenReader.Opened::bytes).orElse(text);
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
