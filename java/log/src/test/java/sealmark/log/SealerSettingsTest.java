package sealmark.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;
import static sealmark.log.Seals.sessionOf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.Identity;
import sealmark.log.reader.LogOpener;
import sealmark.log.wrap.Bech32;
import sealmark.log.wrap.Kem;

class SealerSettingsTest {
    @TempDir
    Path base;

    /** Private keys. */
    private final String[] readers = {identity(), identity(), identity(), identity()};
    private final SealerSettings settings = new SealerSettings();

    private static String identity() {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        return String.valueOf(Bech32.encode(Kem.X25519.identityPrefix(), secret, true));
    }

    private String recipient(int reader) {
        return Identity.parse(readers[reader]).recipient().toString();
    }

    @BeforeEach
    void writeKeys() throws IOException {
        Files.writeString(base.resolve("one.pub"), recipient(2) + "\n");
        Files.writeString(base.resolve("other.pub"), recipient(3) + "\n");
        try (PreSharedKey key = PreSharedKey.generate()) {
            Files.writeString(base.resolve("shared.key"), new String(key.secretChars()));
        }
    }

    /** Says whether a reader opens what was sealed. */
    private static boolean opens(LogSealer sealer, String reader) {
        String token = sealer.seal(EMAIL, "a@b.example");
        try (LogOpener opener = LogOpener.builder().identity(reader).build()) {
            opener.learn(new SessionLines(Shape.PLAIN).before(token).getBytes(UTF_8));
            return opener.openToken(token).isPresent();
        }
    }

    @Test
    void allReadersThatAreNamedRead() throws IOException {
        settings.set("recipient", " , " + recipient(0) + ",\n " + recipient(1) + " ");
        settings.add("recipientsFile", "one.pub");
        settings.add("recipientsFile", " " + base.resolve("other.pub") + "\n");
        try (LogSealer sealer = settings.build(base)) {
            for (String reader : readers) {
                assertTrue(opens(sealer, reader));
            }
            assertFalse(opens(sealer, identity()));
        }
    }

    @Test
    void whatIsSetAgainTakesThePlaceOfWhatWasBefore() throws IOException {
        settings.set("recipient", recipient(0));
        settings.set("recipient", recipient(1));
        settings.set("padding", "much");
        settings.set("padding", null);
        try (LogSealer sealer = settings.build(base)) {
            assertFalse(opens(sealer, readers[0]));
            assertTrue(opens(sealer, readers[1]));
        }
    }

    @Test
    void theOtherSettingsReachTheSealer() throws IOException {
        settings.set("preSharedKeyFile", "shared.key");
        settings.set("padding", " 64 ");
        settings.set("rotateAfter", " PT24H ");
        settings.set("rotateAfterValues", " 1 ");
        settings.set("sideFile", " side.log ");
        settings.set("engine", " Pure-Java ");
        try (LogSealer sealer = settings.build(base)) {
            String token = sealer.seal(EMAIL, "a@b.example");
            assertTrue(token.startsWith("~s1p~"), token);
            assertNotEquals(sessionOf(token), sessionOf(sealer.seal(EMAIL, "a@b.example")));
            assertTrue(Files.readString(base.resolve("side.log")).startsWith("~s1h~" + sessionOf(token)));
            assertEquals("pure-java", sealer.engine());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "padding           | much    | padding \"much\" is not a number\\nhint: 4096",
        "padding           | ''      | padding \"\" is not a number\\nhint: 4096",
        "padding           | -1      | values cannot be padded to -1 bytes\\nhint: use a number from 0 to 1048576",
        "padding           | 4294967297 | values cannot be padded to 4294967297 bytes\\nhint: use a number from 0 to 1048576",
        "rotateAfter       | 1h      | rotateAfter \"1h\" is not a time\\nhint: write it like PT1H, which is an hour",
        "rotateAfter       | PT0S    | the lifetime of a session cannot be PT0S\\nhint: write it like PT1H, which is an hour",
        "rotateAfterValues | all     | rotateAfterValues \"all\" is not a number\\nhint: 4096",
        "rotateAfterValues | 0       | the limit of values cannot be 0\\nhint: use a number from 1 to 4294967296",
        "engine            | steam   | engine \"steam\" is not an engine\\nhint: use auto, native or pure-java",
        "engine            | pure java | engine \"pure java\" is not an engine\\nhint: use auto, native or pure-java",
    })
    void whatIsWrongIsQuoted(String name, String text, String message) {
        settings.set("recipient", recipient(0));
        settings.set(name, text);
        Exception error = assertThrows(IllegalArgumentException.class, () -> settings.build(base));
        assertEquals(message.replace("\\n", "\n"), error.getMessage());
    }

    @Test
    void noKeyIsLeftInTheBuilder() throws IOException {
        settings.set("preSharedKeyFile", "shared.key");
        LogSealer.Builder builder = LogSealer.builder();
        try (LogSealer sealer = settings.build(base, builder)) {
            assertTrue(sealer.seal(EMAIL, "a@b.example").startsWith("~s1a~"));
            assertThrows(IllegalStateException.class, builder::copyOfOwnKey, "the key is closed");
        }
        settings.set("padding", "-1");
        LogSealer.Builder failing = LogSealer.builder();
        assertThrows(IllegalArgumentException.class, () -> settings.build(base, failing));
        assertThrows(IllegalStateException.class, failing::copyOfOwnKey);
    }

    @ParameterizedTest
    @ValueSource(strings = {"recipientsFile", "preSharedKeyFile"})
    void aFileThatCannotBeReadIsNamed(String name) {
        settings.set(name, "none.txt");
        Exception error = assertThrows(IOException.class, () -> settings.build(base));
        String file = base.resolve("none.txt").toString();
        String hint = name.equals("recipientsFile") ? "keygen -y key.txt > none.txt" : "keygen --mode psk -o none.txt";
        assertEquals(name + " \"" + file + "\" cannot be read: no such file\nhint: sealmark " + hint, error.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"recipient", "recipientsFile", "preSharedKeyFile"})
    void aReaderIsNamedRightOrWrong(String name) {
        assertFalse(settings.hasReader());
        settings.set(name, null);
        settings.set("sideFile", "side.log");
        assertFalse(settings.hasReader());
        settings.set(name, "nonsense");
        assertTrue(settings.hasReader());
    }

    @Test
    void withoutAReaderThereIsNoSealer() {
        assertThrows(IllegalArgumentException.class, () -> settings.build(base));
        settings.set("recipient", " , ");
        assertThrows(IllegalArgumentException.class, () -> settings.build(base));
    }

    @Test
    void namesAndSecondTextsThatAreNoneAreRefused() {
        String names = "recipient, recipientsFile, preSharedKeyFile, padding, rotateAfter, rotateAfterValues, sideFile,"
                + " headerWithin, engine";
        Exception unknown = assertThrows(IllegalArgumentException.class, () -> settings.set("Padding", "64"));
        assertEquals("a sealer has no setting \"Padding\"\nhint: use one of " + names, unknown.getMessage());
        settings.add("padding", "32");
        Exception second = assertThrows(IllegalArgumentException.class, () -> settings.add("padding", "64"));
        assertEquals("padding is set twice, to \"32\" and \"64\"", second.getMessage());
    }
}
