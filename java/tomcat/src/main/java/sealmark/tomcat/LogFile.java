package sealmark.tomcat;

import java.io.File;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;

/**
 * A file that drops what it cannot write, as Tomcat does, and remembers that something is missing. Above it stand buffers,
 * which would keep a part of what failed, and a {@code PrintWriter}, which tells nobody.
 */
final class LogFile extends FilterOutputStream {
    private volatile IOException fault;

    /** Goes on with a file. */
    LogFile(File file) throws IOException {
        super(new FileOutputStream(file, true));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        try {
            out.write(bytes, offset, length);
        } catch (IOException error) {
            fault = error;
        }
    }

    /** Why something is missing that was written since this was asked for last; null if nothing is. */
    IOException takeFault() {
        IOException taken = fault;
        if (taken != null) {
            fault = null;
        }
        return taken;
    }
}
