package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.log.keys.PreSharedKey;

/** Headers that come after their tokens in a file. */
class LanesTest {
    private static final int LINES = 12_000;

    private final PreSharedKey key = PreSharedKey.generate();
    private final Sessions sessions = new Sessions(new LogKeys(List.of(), List.of(key)));

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allBlocksThatAreUnderWayAreOpenedOnceTheHeadersAreKnown(boolean isNative) throws Exception {
        StringBuilder tokens = new StringBuilder();
        StringBuilder plain = new StringBuilder();
        String header;
        try (LogSealer sealer = LogSealer.builder().preSharedKey(key).build()) {
            String token = sealer.seal(Label.of("v"), "first");
            header = new SessionLines(Shape.PLAIN).before(token);
            for (int line = 0; line < LINES; line++) {
                tokens.append(line).append(' ').append(sealer.seal(Label.of("v"), "value " + line)).append('\n');
                plain.append(line).append(" value ").append(line).append('\n');
            }
        }
        byte[] log = (tokens + header).getBytes(US_ASCII);
        assertTrue(log.length > 3 * BlockReader.SIZE, log.length + " bytes");
        if (isNative) {
            sessions.useNative();
        }
        sessions.mayLearnFrom(List.of(new LogFile(Files.write(folder.resolve("log"), log).toString())));
        ByteArrayOutputStream opened = new ByteArrayOutputStream();
        Unopened closed = new Unopened();
        try (Opening opening =
                new Opening(sessions, Context.ESCAPED, Labels.ALL, (block, found) -> closed.add(found), opened)) {
            opening.read(new ByteArrayInputStream(log), 0, true);
        }
        assertEquals(plain.toString(), opened.toString(US_ASCII));
        assertTrue(closed.isNone());
    }

    @Test
    void filesAreReadAgainOnlyAfterATokenLackedItsHeader() throws Exception {
        sessions.mayLearnFrom(List.of(new LogFile(folder.resolve("not there").toString())));
        // To the reading thread this looks like a token without a header; the worker knows better.
        byte[] log = ("~s1a~v~AAAAAAAAAAAAAAAA~" + "C".repeat(27) + "~\n").getBytes(US_ASCII);
        AtomicInteger orphans = new AtomicInteger();
        List<Seen> taken = new ArrayList<>();
        List<Seen> wiped = new ArrayList<>();
        try (Lanes<Seen> lanes = new Lanes<>(sessions, () -> block -> new Seen(orphans.get(), wiped),
                (block, seen) -> taken.add(seen))) {
            read(lanes, log);
            assertTrue(sessions.mayLearnMore(), "the files were read again");
            orphans.set(1);
            read(lanes, log);
            assertFalse(sessions.mayLearnMore(), "the files were not read again");
            read(lanes, log);
        }
        assertEquals(List.of(0L, 1L, 1L), taken.stream().map(seen -> seen.found().orphans).toList());
        assertEquals(1, wiped.size(), "one block was worked on again");
        assertFalse(taken.contains(wiped.get(0)));
    }

    private static void read(Lanes<Seen> lanes, byte[] log) throws IOException {
        lanes.read(new ByteArrayInputStream(log), 0, true);
        lanes.drain();
    }

    private static final class Seen implements Lanes.Result {
        private final Findings found = new Findings();
        private final List<Seen> wiped;

        Seen(int orphans, List<Seen> wiped) {
            found.orphans = orphans;
            this.wiped = wiped;
        }

        @Override
        public Findings found() {
            return found;
        }

        @Override
        public void wipe() {
            wiped.add(this);
        }
    }
}
