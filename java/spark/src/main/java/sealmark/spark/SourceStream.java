package sealmark.spark;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * The bytes that a file had when the job began: a file that grows meanwhile gives the same log to every attempt of a task. Its
 * own errors are told apart from those of a decoder above it.
 */
final class SourceStream extends FilterInputStream {
    private long left;

    /** The file system failed, or the file is not the one that was listed: another attempt may do better. */
    static final class Failed extends IOException {
        private static final long serialVersionUID = 1;

        Failed(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private final LogFile file;

    SourceStream(InputStream in, LogFile file) {
        super(in);
        this.file = file;
        this.left = file.length();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int from, int length) throws IOException {
        if (left == 0) {
            return -1;
        }
        int read;
        try {
            read = in.read(buffer, from, (int) Math.min(length, left));
        } catch (IOException e) {
            throw new Failed("cannot read \"" + file.path() + "\": " + e.getMessage(), e);
        }
        if (read < 0) {
            throw new Failed("\"" + file.path() + "\" became shorter while the job ran\nhint: name logs that were rotated, and"
                    + " that no program changes", null);
        }
        left -= read;
        return read;
    }

    @Override
    public long skip(long number) throws IOException {
        return in.skip(Math.min(number, left));
    }

    @Override
    public int available() throws IOException {
        return (int) Math.min(in.available(), left);
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
