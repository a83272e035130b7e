package sealmark.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/** Takes what is written to standard error, until it is closed. */
public final class StandardError implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    /** Takes it from now on. */
    public StandardError() {
        System.setErr(new PrintStream(written, true, UTF_8));
    }

    /** All that was written so far. */
    public String text() {
        return written.toString(UTF_8);
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
