package sealmark.spark;

import java.io.IOException;
import java.io.InputStream;
import sealmark.log.reader.TokenReader;

/** Authenticates the tokens of files within one task. */
final class TaskTokens implements AutoCloseable {
    private final TokenReader tokens;
    private final Runnable wipe;
    private final Lacking lacking;

    TaskTokens(TokenReader tokens, Runnable wipe, HeaderTable headers) {
        this.tokens = tokens;
        this.wipe = wipe;
        this.lacking = new Lacking(headers);
    }

    /** Reads a log to its end. */
    void read(InputStream in, FileLedger ledger) throws IOException {
        Lines lines = new Lines(in);
        long line = 1;
        while (lines.next()) {
            byte[] text = lines.text();
            if (lines.kind() != Lines.Kind.WHOLE) {
                line += lines.kind() == Lines.Kind.LAST_PIECE ? 1 : 0;
                ledger.longLine(lines.kind(), lines.offset(), line);
                continue;
            }
            lacking.give(text, 0, lines.end(), more -> tokens.learn(more, 0, more.length));
            tokens.learn(text, 0, lines.end());
            int from = 0;
            while (from < lines.end()) {
                int end = from;
                while (end < lines.end() && text[end] != '\n') {
                    end++;
                }
                end = Math.min(end + 1, lines.end());
                ledger.at(lines.offset(), line++);
                tokens.read(text, from, end, ledger);
                from = end;
            }
        }
    }

    TokenReader.Facts facts(String session) {
        return tokens.facts(session);
    }

    @Override
    public void close() {
        tokens.close();
        wipe.run();
    }
}
