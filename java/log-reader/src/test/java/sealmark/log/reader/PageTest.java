package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.CharBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.log.wrap.Kem;

/** The code of docs/java.md, "Keys and reading without Rust". */
class PageTest {
    @TempDir
    Path folder;

    @Test
    void aKeyThatIsMadeHereOpensALog() throws Exception {
        Path key = folder.resolve("key.txt");
        Path log = folder.resolve("app.log");

        Identity identity = Identity.generate();              // or Identity.readAll(key)
        String publicKey = identity.recipient().toString();   // for the application that logs

        Files.writeString(key, CharBuffer.wrap(identity.secretChars()));
        Files.writeString(log, sealed(publicKey));
        try (LogOpener opener = LogOpener.builder().identitiesFile(key).build()) {
            byte[] plain = opener.open(Files.readAllBytes(log));
            boolean isWhole = opener.report().isWhole();
            assertEquals("user=hanako\n", new String(plain, UTF_8));
            assertTrue(isWhole);
        }
    }

    private static String sealed(String publicKey) {
        LogSealer sealer = LogSealer.builder().recipient(publicKey).build();
        SessionLines own = new SessionLines(Shape.PLAIN);
        String line = "user=" + sealer.seal(Label.of("user"), "hanako") + "\n";
        String log = own.before(line) + line;
        sealer.close();
        return log + own.closing();
    }

    @ParameterizedTest
    @EnumSource(Kem.class)
    void aNewKeySurvivesItsString(Kem kem) {
        try (Identity made = Identity.generate(kem.word()); Identity other = Identity.generate(kem.word());
                Identity read = Identity.parse(CharBuffer.wrap(made.secretChars()))) {
            assertEquals(kem.word(), read.type());
            assertArrayEquals(made.secretBytes(), read.secretBytes());
            assertEquals(made.recipient(), read.recipient());
            assertNotEquals(made.recipient(), other.recipient());
            assertFalse(made.toString().contains("SECRET"));
        }
    }
}
