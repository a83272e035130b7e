package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.testing.Alterations;
import sealmark.log.keys.PreSharedKey;

/** Reading a hostile log throws nothing, and nothing comes out that does not authenticate. */
class HostileLogTest {
    private static final Pattern SECRET = Pattern.compile("<secret [0-9]+>");
    private static final PreSharedKey KEY = PreSharedKey.generate();
    private static final int VALUES = 12;

    private static String sealed;

    /** Lines of both shapes, two sessions, values that say which they are. */
    @BeforeAll
    static void seal() {
        LogSealer sealer = LogSealer.builder().preSharedKey(KEY).padding(8).rotateAfterValues(VALUES / 2).build();
        SessionLines own = new SessionLines(Shape.JSON);
        StringBuilder log = new StringBuilder();
        for (int value = 0; value < VALUES; value++) {
            String token = sealer.seal(Label.of("v"), "<secret " + value + ">");
            String line = (value % 2 == 0 ? "{\"v\":\"" + token + "\"}" : "v=" + token) + "\n";
            log.append(own.before(line)).append(line);
        }
        sealer.close();
        sealed = log + own.closing();
    }

    @Test
    void itOpensUnlessSomebodyAltersIt() {
        try (LogOpener opener = LogOpener.builder().preSharedKey(KEY).build()) {
            assertEquals(VALUES, secretsIn(opener.open(sealed.getBytes(ISO_8859_1))));
            assertTrue(opener.report().isWhole());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void alteredLogsGiveOutAuthenticValuesOnly(long seed) throws Exception {
        Alterations alterations = new Alterations(sealed, seed);
        long all = 0;
        for (int round = 0; round < 250; round++) {
            byte[] log = alterations.altered().getBytes(ISO_8859_1);
            try (LogOpener opener = LogOpener.builder().preSharedKey(KEY).build()) {
                all += assertIsSound(opener, log);
            }
        }
        assertTrue(all > 250 && all < 250 * 2 * VALUES, all + " values of altered logs opened");
    }

    /** In one go and as a stream of an opener that knows the log's headers. */
    private static long assertIsSound(LogOpener opener, byte[] log) throws Exception {
        byte[] opened = opener.open(log);
        OpenReport report = opener.report();
        assertEquals(report.opened(), secretsIn(opened));
        ByteArrayOutputStream again = new ByteArrayOutputStream();
        opener.open(new ByteArrayInputStream(log), again);
        assertArrayEquals(opened, again.toByteArray());
        assertEquals(2 * report.opened(), opener.report().opened());
        return report.opened();
    }

    private static int secretsIn(byte[] opened) {
        List<String> found = SECRET.matcher(new String(opened, ISO_8859_1)).results().map(MatchResult::group).toList();
        assertTrue(found.stream().allMatch(secret -> Integer.parseInt(secret.replaceAll("[^0-9]", "")) < VALUES));
        return found.size();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whatWasNeverSealedStays(long seed) throws Exception {
        Alterations alterations = new Alterations(sealed, seed);
        for (int round = 0; round < 250; round++) {
            byte[] log = alterations.nonsense().getBytes(ISO_8859_1);
            try (LogOpener opener = LogOpener.builder().preSharedKey(KEY).build()) {
                assertArrayEquals(log, opener.open(log));
                assertEquals(0, assertIsSound(opener, log));
            }
        }
    }

    /** Changes each character of a token to any of several. */
    @Test
    void aTokenWithOneOtherCharacterStaysClosed() {
        String line = sealed.lines().filter(text -> text.startsWith("v=")).findFirst().orElseThrow() + "\n";
        try (LogOpener opener = LogOpener.builder().preSharedKey(KEY).build()) {
            opener.learn(sealed.getBytes(ISO_8859_1));
            for (int at = 2; at < line.length() - 1; at++) {
                for (byte other : "ABz~.- apqZ2\0\u00ff".getBytes(ISO_8859_1)) {
                    byte[] altered = line.getBytes(ISO_8859_1);
                    if (altered[at] != other) {
                        altered[at] = other;
                        assertArrayEquals(altered, opener.open(altered));
                    }
                }
            }
            assertEquals(0, opener.report().opened());
            assertEquals(1, secretsIn(opener.open(line.getBytes(ISO_8859_1))));
        }
    }

    @Test
    void aHeaderWithOneOtherCharacterOpensNothing() {
        String header = sealed.substring(0, sealed.indexOf('\n') + 1);
        String token = sealed.lines().skip(1).findFirst().orElseThrow();
        for (int at = 0; at < header.length(); at++) {
            byte[] log = (header + token).getBytes(ISO_8859_1);
            log[at] = (byte) (log[at] == 'A' ? 'B' : 'A');
            boolean isShape = at < "{\"sealmark\":\"".length() || at >= header.length() - "\"}\n".length();
            try (LogOpener opener = LogOpener.builder().preSharedKey(KEY).build()) {
                assertEquals(isShape ? 1 : 0, secretsIn(opener.open(log)), new String(log, ISO_8859_1));
            }
        }
    }
}
