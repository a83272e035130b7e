package sealmark.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** One way of a value into a log: what lays it out, where that goes, where in an event the value stands, and what fails. */
public record CanaryCase<F extends Enum<F>>(F format, To to, Place place, Fault fault) {
    private static final int TOO_LONG = 1 << 20;

    /** Appenders. */
    public enum To { CONSOLE, FILE, ROLLING, ASYNC, SOCKET, SMTP }

    /** Parts of an event. */
    public enum Place {
        MESSAGE, PARAMETER, SEALED, CONTEXT, TOKEN_IN_CONTEXT, PAIR, MARKER, EXCEPTION, CAUSE, SUPPRESSED, TOKEN_IN_EXCEPTION
    }

    /** Faults. */
    public enum Fault { NONE, SINK_FAILS, NO_SEALER, SEALER_CLOSED, TEXT_THROWS, TOO_LONG, PURE_JAVA }

    /** A logging framework, set up for one case, logs and stops; says what it complained of. */
    public interface Framework {
        String log(int port) throws Exception;
    }

    /** Reads a log as its readers do, the oldest file first. */
    public interface Reader {
        String open(List<Path> logs) throws Exception;
    }

    /** The pairs, or all combinations, of a framework that has such formats. */
    public static <F extends Enum<F>> Stream<CanaryCase<F>> all(F[] formats) {
        return Pairwise.of(formats.length, To.values().length, Place.values().length, Fault.values().length).stream()
                .map(one -> new CanaryCase<>(formats[one.get(0)], To.values()[one.get(1)], Place.values()[one.get(2)],
                        Fault.values()[one.get(3)]));
    }

    /** The value with the mark. */
    public String text() {
        return fault == Fault.TOO_LONG ? Canary.value() + "x".repeat(TOO_LONG) : Canary.value();
    }

    /** An object that has the value for its text, or says it where that throws. */
    public Object value() {
        return value(text());
    }

    /** This case with another text. */
    public Object value(String text) {
        return fault == Fault.TEXT_THROWS ? new Throwing(text) : text;
    }

    /** An exception of each kind that a place asks for. */
    public Exception thrown(Object token) {
        Exception inner = fault == Fault.TEXT_THROWS ? new ThrowingException(text()) : new RuntimeException(text());
        Exception outer = new IllegalArgumentException("outer", place == Place.CAUSE ? inner : null);
        if (place == Place.SUPPRESSED) {
            outer.addSuppressed(inner);
        }
        return switch (place) {
            case TOKEN_IN_EXCEPTION -> new RuntimeException("no user " + token);
            case CAUSE, SUPPRESSED -> outer;
            default -> inner;
        };
    }

    /** Asserts that the mark is nowhere in clear, and that the log has it, where nothing keeps it from that. */
    public void assertNothingIsInClear(Path folder, Sink sink, Framework framework, String logs, Reader reader)
            throws Exception {
        ByteArrayOutputStream console = new ByteArrayOutputStream();
        PrintStream out = System.out;
        PrintStream errors = System.err;
        String complaints;
        byte[] received;
        try (sink) {
            boolean consoleFails = to == To.CONSOLE && fault == Fault.SINK_FAILS;
            System.setOut(consoleFails ? Sink.failing(null) : new PrintStream(console, true, UTF_8));
            System.setErr(new PrintStream(console, true, UTF_8));
            complaints = framework.log(sink.port());
            boolean isSent = (to == To.SOCKET || to == To.SMTP) && fault != Fault.SINK_FAILS;
            received = isSent ? sink.received() : sink.now();
        } finally {
            System.setOut(out);
            System.setErr(errors);
        }
        Canary.assertNone("console", console.toByteArray());
        Canary.assertNone("complaints", complaints.getBytes(UTF_8));
        Canary.assertNone("sink", received);
        Canary.assertNoneIn(folder);
        if (fault == Fault.NONE || fault == Fault.PURE_JAVA) {
            assertItWasThere(folder, to == To.CONSOLE ? console.toByteArray() : received, logs, reader);
        }
    }

    /** The test would hold where nothing was logged, too. */
    private void assertItWasThere(Path folder, byte[] sent, String logs, Reader reader) throws Exception {
        if (to == To.SMTP) {
            assertTrue(sent.length > 0);
            return;
        }
        List<Path> files = new ArrayList<>(List.of(folder.resolve("side.txt")));
        if (to == To.CONSOLE || to == To.SOCKET) {
            files.add(Files.write(folder.resolve("sent.log"), sent));
        } else {
            files.addAll(files(folder, logs));
        }
        String opened = reader.open(files);
        assertTrue(opened.contains(Canary.MARK), opened);
    }

    private static List<Path> files(Path folder, String begin) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.getFileName().toString().startsWith(begin)).sorted().toList();
        }
    }

    /** Says the value where it fails. */
    private static final class Throwing {
        private final transient String text;

        Throwing(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            throw new IllegalStateException(text);
        }
    }

    private static final class ThrowingException extends RuntimeException {
        private static final long serialVersionUID = 1;

        ThrowingException(String text) {
            super(text);
        }

        @Override
        public String getMessage() {
            throw new IllegalStateException(super.getMessage());
        }
    }
}
