package sealmark.spark;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import sealmark.log.reader.TokenReader;

/** Blocks are whole lines, and nothing is lost between them. */
class LinesTest {
    private static final int BLOCK = 1 << 18;

    @Test
    void blocksEndAtLineEndsWhateverTheStreamGives() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < 60_000; at++) {
            text.append("line ").append(at).append(at % 7 == 0 ? "\r\n" : "\n");
        }
        for (String end : List.of("", "no end", "\n")) {
            for (int most : new int[] {1_000, BLOCK, Integer.MAX_VALUE}) {
                List<String> blocks = blocks(text + end, most);
                assertEquals(text + end, String.join("", blocks));
                assertTrue(blocks.size() > 2, "several blocks");
                assertTrue(blocks.subList(0, blocks.size() - 1).stream().allMatch(block -> block.endsWith("\n")));
            }
        }
        assertEquals(List.of(), blocks("", 1));
        assertEquals(List.of("a"), blocks("a", 1));
    }

    @Test
    void aLineThatIsTooLongComesInPieces() throws IOException {
        String longLine = "x".repeat(2 * Lines.LONGEST + 10);
        for (String behind : List.of("", "\n", "\nnext\n", "\nnext")) {
            Lines lines = new Lines(new ByteArrayInputStream(("first\n" + longLine + behind).getBytes(ISO_8859_1)));
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            List<Lines.Kind> kinds = new ArrayList<>();
            while (lines.next()) {
                assertEquals(all.size(), lines.offset());
                all.write(lines.text(), 0, lines.end());
                kinds.add(lines.kind());
                assertTrue(lines.text().length <= 2 * Lines.LONGEST, "memory is bounded");
            }
            assertEquals("first\n" + longLine + behind, all.toString(ISO_8859_1));
            assertEquals(1, kinds.stream().filter(kind -> kind == Lines.Kind.LAST_PIECE).count(), behind);
            assertTrue(kinds.contains(Lines.Kind.PIECE));
            boolean hasMore = behind.length() > 1;
            assertEquals(hasMore ? Lines.Kind.WHOLE : Lines.Kind.LAST_PIECE, kinds.get(kinds.size() - 1), behind);
        }
    }

    @Test
    void aReaderIsClosedBetweenValuesAndOpensNoneAfterwards() throws Exception {
        AtomicInteger wiped = new AtomicInteger();
        TaskReader reader = new TaskReader(new TokenReader(List.of(), List.of(), false), wiped::incrementAndGet,
                new HeaderTable());
        Thread closing = new Thread(reader::close);
        // The lock is held while a value is opened.
        synchronized (reader) {
            closing.start();
            while (closing.isAlive() && closing.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            assertEquals(0, wiped.get());
        }
        closing.join();
        reader.close();
        assertEquals(1, wiped.get());
        assertThrows(IllegalStateException.class, () -> reader.value(text("~s1")));
        assertThrows(IllegalStateException.class, () -> reader.line(text("text")));
    }

    private static HeapText text(String text) {
        return new HeapText(text.getBytes(ISO_8859_1), 0, text.length());
    }

    private static List<String> blocks(String text, int most) throws IOException {
        Lines lines = new Lines(drops(text, most));
        List<String> blocks = new ArrayList<>();
        while (lines.next()) {
            blocks.add(new String(lines.text(), 0, lines.end(), ISO_8859_1));
        }
        return blocks;
    }

    /** A stream that gives so many bytes at a time. */
    private static InputStream drops(String text, int most) {
        return new ByteArrayInputStream(text.getBytes(ISO_8859_1)) {
            @Override
            public synchronized int read(byte[] buffer, int from, int length) {
                return super.read(buffer, from, Math.min(most, length));
            }
        };
    }
}
