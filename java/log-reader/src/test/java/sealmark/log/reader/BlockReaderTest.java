package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockReaderTest {
    private static final int LONGEST = 1 << 18;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 1000})
    void linesComeWholeAndInOrder(int atATime) throws IOException {
        assertEquals(List.of("a\n", "\n", "bcd\r\n", "e"), lines("a\n\nbcd\r\ne", atATime));
        assertEquals(List.of("\n"), lines("\n", atATime));
        assertEquals(List.of(), lines("", atATime));
    }

    @Test
    void linesUpToTheLongestAreWhole() throws IOException {
        for (int length : new int[] {(1 << 16) - 1, 1 << 16, (1 << 16) + 1, LONGEST - 1}) {
            String line = "x".repeat(length - 1) + "\n";
            assertEquals(List.of("a\n", line, "b\n", line), lines("a\n" + line + "b\n" + line, 100_000));
        }
    }

    @Test
    void longerOnesComeInPieces() throws IOException {
        for (int length : new int[] {LONGEST + 70_000, 3 * LONGEST, 5 * LONGEST + 1}) {
            String line = "x".repeat(length);
            List<String> found = lines("a\n" + line + "\nb\n" + line, 100_000);
            List<String> pieces = found.stream().filter(text -> text.startsWith("piece ")).toList();
            assertTrue(pieces.stream().allMatch(piece -> piece.length() < 2 * LONGEST + 20));
            assertEquals(2, pieces.stream().filter(piece -> piece.startsWith("piece last ")).count());
            assertEquals(line + "\n" + line, pieces.stream().map(text -> text.replaceFirst("piece (last )?", ""))
                    .collect(Collectors.joining()));
            assertEquals(List.of("a\n", "b\n"), found.stream().filter(text -> text.length() == 2).toList());
        }
    }

    private static List<String> lines(String text, int atATime) throws IOException {
        List<String> found = new ArrayList<>();
        BlockReader reader = new BlockReader(slowly(text, atATime), 0, LONGEST, 1 << 16);
        for (Block block = reader.next(new byte[1 << 16]); block != null; block = reader.next(new byte[1 << 16])) {
            String content = new String(block.text(), block.from(), block.length(), ISO_8859_1);
            if (block.isLines()) {
                found.addAll(List.of(content.split("(?<=\n)", 0)));
            } else {
                found.add((block.kind() == Block.Kind.LAST_PIECE ? "piece last " : "piece ") + content);
            }
        }
        return found;
    }

    private static InputStream slowly(String text, int atATime) {
        return new ByteArrayInputStream(text.getBytes(ISO_8859_1)) {
            @Override
            public synchronized int read(byte[] out, int at, int length) {
                return super.read(out, at, Math.min(length, atATime));
            }
        };
    }
}
