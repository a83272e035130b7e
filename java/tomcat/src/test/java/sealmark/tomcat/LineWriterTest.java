package sealmark.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.testing.LogProgram;

/** Lines of our own come where they are needed, once, whatever clients write that looks like tokens. */
class LineWriterTest {
    private static final String HEADER = "~s1h~";

    @TempDir
    Path folder;

    private LogSealer sealer;
    private final StringWriter file = new StringWriter();
    private final FileGate passage = new FileGate();
    private LineWriter lines;

    @BeforeEach
    void makeKeys() throws Exception {
        sealer = LogSealer.builder().recipient(new LogProgram(folder).recipient()).build();
        lines = new LineWriter(new PrintWriter(file), new SessionLines(Shape.PLAIN), () -> sealer, passage, () -> "");
    }

    @Test
    void aHeaderComesBeforeTheFirstTokenOfEachSession() {
        String first = sealer.seal(Label.of("a"), "1");
        write(first + " " + sealer.seal(Label.of("a"), "2"));
        write("no token");
        write(sealer.seal(Label.of("a"), "3"));
        sealer.endSession();
        String next = sealer.seal(Label.of("a"), "4");
        write(next + " of the next session");
        write(next + " " + sealer.seal(Label.of("a"), "5"));
        lines.close();
        assertEquals(2, file.toString().split(HEADER, -1).length - 1, file::toString);
        assertEquals(2, file.toString().split("~s1z~", -1).length - 1, file::toString);
        assertTrue(file.toString().indexOf(HEADER + session(next)) < file.toString().indexOf(next));
        assertTrue(file.toString().startsWith(HEADER + session(first)), file::toString);
    }

    /** Somebody who has seen another log of the same session, and keeps its header out of this one. */
    @Test
    void whatIsNoTokenStandsForNoHeader() {
        String session = session(sealer.seal(Label.of("a"), "1"));
        for (String none : List.of("~s1!~a~" + session + "~", "~s1a!a~" + session + "~", "~s1x~a~" + session + "~",
                "~s1a~~" + session + "~", "~s1a~" + "a".repeat(65) + "~" + session + "~", "~s1a~a~" + session,
                "~s1a~a~" + session + "!", "~s1", "~s1a", "~s1a~", "~s1a~a", "~s1a~a~")) {
            file.getBuffer().setLength(0);
                lines = new LineWriter(new PrintWriter(file), new SessionLines(Shape.PLAIN), () -> sealer, passage, () -> "");
            write(none);
            write(sealer.seal(Label.of("a"), "2"));
            lines.flush();
            assertEquals(1, file.toString().split(HEADER, -1).length - 1, none);
        }
    }

    @Test
    void aSessionThatEndsIsClosedWithoutAnotherRequest() {
        write(sealer.seal(Label.of("a"), "1"));
        sealer.endSession();
        lines.flush();
        assertTrue(file.toString().contains("\n~s1z~"), file::toString);
    }

    @Test
    void noFlushComesBetweenTheLinesOfAnotherThread() throws Exception {
        write(sealer.seal(Label.of("a"), "1"));
        sealer.endSession();
        Thread background = new Thread(lines::flush);
        passage.file().lock();
        try {
            background.start();
            while (background.isAlive() && !passage.file().hasQueuedThread(background)) {
                Thread.onSpinWait();
            }
            assertFalse(file.toString().contains("~s1z~"), file::toString);
        } finally {
            passage.file().unlock();
        }
        background.join();
        assertTrue(file.toString().contains("\n~s1z~"), file::toString);
    }

    private static String session(String token) {
        return List.of(token.split("~", -1)).get(3);
    }

    private void write(String line) {
        char[] chars = (line + "\n").toCharArray();
        lines.write(chars, 0, chars.length);
    }
}
