package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sealmark.log.engine.NativeLibrary;

/** Native code opens each vector as pure Java does. */
class NativeOpeningTest {
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
