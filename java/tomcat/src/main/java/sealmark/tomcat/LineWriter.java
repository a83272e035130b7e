package sealmark.tomcat;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.function.Supplier;
import sealmark.log.LogSealer;
import sealmark.log.SessionLines;

/**
 * A file of the log: writes the lines of our own that it needs between those of requests. The valve writes each of those in
 * one piece, while it holds the file's lock.
 */
final class LineWriter extends PrintWriter {
    private final SessionLines own;
    private final Supplier<LogSealer> sealer;
    private final FileGate gate;
    private final Supplier<String> first;

    /**
     * @param own knows that the file was opened just now
     * @param first what is to be written before anything else, mostly nothing
     */
    LineWriter(Writer file, SessionLines own, Supplier<LogSealer> sealer, FileGate gate, Supplier<String> first) {
        super(file);
        this.first = first;
        this.own = own;
        this.sealer = sealer;
        this.gate = gate;
    }

    @Override
    public void write(char[] chars, int offset, int length) {
        writeOwn(first.get());
        String line = new String(chars, offset, length);
        String sealed = own.withoutLookalikes(sealer.get(), line);
        writeOwn(own.before(sealed));
        if (sealed.equals(line)) {
            super.write(chars, offset, length);
        } else {
            super.write(sealed, 0, sealed.length());
        }
    }

    /** Tokens of sessions that have ended do not wait for the next request. Some Tomcats call this without a lock. */
    @Override
    public void flush() {
        gate.file().lock();
        try {
            writeOwn(own.before(""));
            super.flush();
        } finally {
            gate.file().unlock();
        }
    }

    /** No line is on its way from here on, until the valve lets them. */
    @Override
    public void close() {
        gate.close();
        writeOwn(own.closing());
        super.close();
    }

    private void writeOwn(String lines) {
        if (!lines.isEmpty()) {
            write(lines);
        }
    }
}
