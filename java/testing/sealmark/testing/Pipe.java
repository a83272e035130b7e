package sealmark.testing;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;

/** A named pipe in the place of a log: while nobody reads it, writing fails, as on a disk that is full for a while. */
public final class Pipe implements AutoCloseable {
    private final Path path;
    private RandomAccessFile reader;

    /** Makes it, with a reader. */
    public Pipe(Path path) throws IOException, InterruptedException {
        this.path = path;
        if (new ProcessBuilder("mkfifo", path.toString()).inheritIO().start().waitFor() != 0) {
            throw new IOException("no pipe " + path);
        }
        mend();
    }

    /** Writing fails from now on, and what was written and not read is gone. */
    public void breakIt() throws IOException {
        reader.close();
    }

    /** Writing works again. */
    public void mend() throws IOException {
        // For reading and writing, because opening it for reading alone would wait for a writer.
        reader = new RandomAccessFile(path.toFile(), "rw");
    }

    /** Reads the bytes that were written since the last call. */
    public byte[] written() throws IOException {
        InputStream in = new FileInputStream(reader.getFD());
        byte[] bytes = new byte[in.available()];
        int length = bytes.length == 0 ? 0 : in.read(bytes);
        return Arrays.copyOf(bytes, length);
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
