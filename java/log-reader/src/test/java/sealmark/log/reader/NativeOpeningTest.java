package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.log.engine.NativeLibrary;
import sealmark.log.keys.PreSharedKey;

/** Native code opens each vector as pure Java does. */
class NativeOpeningTest {
    private static final Label LABEL = Label.of("v");

    private final PreSharedKey key = PreSharedKey.generate();

    @BeforeAll
    static void thereIsALibrary() {
        assumeTrue(NativeLibrary.missing().isEmpty(), "no native library");
    }

    static Stream<Path> vectors() throws Exception {
        return VectorsTest.vectors().stream();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void opensTheSame(Path file) throws Exception {
        for (Context context : List.of(Context.ESCAPED, Context.RAW)) {
            Vector vector = Vector.read(file.getFileName().toString());
            Opened java = opened(vector, context, false);
            Opened here = opened(vector, context, true);
            assertArrayEquals(java.text, here.text, () -> new String(here.text, ISO_8859_1));
            assertEquals(java.closed, here.closed, "not text, orphans, no key, tampered, cut off");
        }
    }

    @Test
    void threadsThatShareItGetTheirOwnLines() throws Exception {
        int threads = 4;
        LogSealer sealer = LogSealer.builder().preSharedKey(key).build();
        NativeOpening shared = sharedOpening(sealer);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                String value = "value of thread " + thread;
                byte[] line = sealer.seal(LABEL, value).getBytes(UTF_8);
                done.add(pool.submit(() -> {
                    for (int round = 0; round < 20_000; round++) {
                        assertEquals(value, value(shared.openLine(line, 0, line.length, false)));
                    }
                    return null;
                }));
            }
            for (Future<?> one : done) {
                one.get(1, TimeUnit.MINUTES);
            }
        } finally {
            pool.shutdownNow();
            assertTrue(pool.awaitTermination(1, TimeUnit.MINUTES));
            shared.close();
        }
    }

    @Test
    void noTextStaysInTheMemoryBetweenLinesAndNoneIsOpenedAfterwards() {
        LogSealer sealer = LogSealer.builder().preSharedKey(key).build();
        NativeOpening shared = sharedOpening(sealer);
        // The second line does not fit: its escapes make it longer than the memory.
        for (String value : List.of("secret", "\"".repeat(20_000))) {
            byte[] line = ("{\"v\":\"" + sealer.seal(LABEL, value) + "\"}").getBytes(UTF_8);
            assertEquals("{\"v\":\"" + value.replace("\"", "\\\"") + "\"}",
                    value(shared.openLine(line, 0, line.length, false)));
            ByteBuffer memory = shared.memory();
            byte[] left = new byte[memory.capacity()];
            memory.get(0, left);
            assertArrayEquals(new byte[left.length], left);
        }
        shared.close();
        shared.close();
        assertThrows(IllegalStateException.class, () -> shared.openLine(new byte[0], 0, 0, false));
    }

    private NativeOpening sharedOpening(LogSealer sealer) {
        byte[] header = new SessionLines(Shape.PLAIN).before(sealer.seal(LABEL, "first")).getBytes(UTF_8);
        NativeOpening opening = NativeOpening.find(new LogKeys(List.of(), List.of(key)));
        opening.learn(header, 0, header.length);
        return opening;
    }

    private static String value(byte[] opened) {
        return new String(opened, NativeOpening.COUNTS, opened.length - NativeOpening.COUNTS, UTF_8);
    }

    @SuppressWarnings("ArrayRecordComponent") // They are compared apart.
    private record Opened(byte[] text, List<Long> closed) {}

    private static Opened opened(Vector vector, Context context, boolean isNative) throws Exception {
        Sessions sessions = new Sessions(vector.keys());
        if (isNative) {
            sessions.useNative();
            assertNotNull(sessions.nativeOpening());
        }
        Unopened closed = new Unopened();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Opening opening = new Opening(sessions, context, Labels.ALL, (block, found) -> closed.add(found), out)) {
            opening.read(new ByteArrayInputStream(vector.log()), 0, true);
        }
        sessions.destroy();
        return new Opened(out.toByteArray(),
                List.of(closed.notText, closed.orphans, closed.noKey, closed.tampered, closed.cutOff));
    }
}
