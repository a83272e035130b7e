package sealmark.log.keys;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.reader.Identity;

class KeyFileTest {
    @TempDir
    Path folder;

    private final PreSharedKey first = PreSharedKey.generate();
    private final PreSharedKey second = PreSharedKey.generate();

    @Test
    void commentsAndEmptyLinesHoldNoKey() throws IOException {
        Path file = file("# made: today \u00e9\n\n  \t\r\n  " + text(first) + " \r\n#" + text(second) + "\n"
                + text(second));
        List<PreSharedKey> keys = PreSharedKey.readAll(file);
        assertEquals(2, keys.size());
        assertArrayEquals(first.secretBytes(), keys.get(0).secretBytes());
        assertArrayEquals(second.secretBytes(), keys.get(1).secretBytes());
    }

    @Test
    void eachKindOfKeyIsRead() throws IOException {
        String secret = "AGE-SECRET-KEY-1NPE3UWVCWK8P6KU7TNH6Z7ALHK0790C3DL99XVRFRWPLNQ9S9PASK29K5M";
        Identity identity = Identity.readAll(file(secret + "\n")).get(0);
        Recipient recipient = identity.recipient();
        assertEquals(List.of(recipient, recipient), Recipient.readAll(file(recipient + "\n" + recipient)));
        assertArrayEquals(first.secretBytes(), PreSharedKey.read(file(text(first))).secretBytes());
    }

    @Test
    void whatIsNoKeyIsNamedByFileAndLine() throws IOException {
        Path file = file("# one\n" + text(first) + "\n\n" + text(second).substring(1) + "\n");
        String message = refusal(() -> PreSharedKey.readAll(file));
        assertTrue(message.startsWith("key file \"" + file + "\", line 4: not a pre-shared key: "), message);
        assertFalse(message.contains(text(second).substring(30)), message);
    }

    @Test
    void aFileWithoutKeysIsRefused() throws IOException {
        Path file = file("# none\n\n");
        String start = "key file \"" + file + "\" contains no public key\nhint: ";
        assertTrue(refusal(() -> Recipient.readAll(file)).startsWith(start));
        assertTrue(refusal(() -> Identity.readAll(file)).contains("contains no secret key\nhint: "));
        assertTrue(refusal(() -> PreSharedKey.read(file)).contains("contains no pre-shared key\nhint: "));
    }

    @Test
    void oneKeyToSealWithIsOne() throws IOException {
        Path file = file(text(first) + "\n" + text(second));
        assertTrue(refusal(() -> PreSharedKey.read(file)).contains("contains several keys\nhint: "));
    }

    @Test
    void otherFilesAreRefused() throws IOException {
        Path latin = Files.write(folder.resolve("latin"), "#\u00e9\n".getBytes(ISO_8859_1));
        assertTrue(refusal(() -> Identity.readAll(latin)).endsWith("is not a text file"));
        Path cut = Files.write(folder.resolve("cut"), new byte[] {'#', (byte) 0xc3});
        assertTrue(refusal(() -> Identity.readAll(cut)).endsWith("is not a text file"));
        Path large = Files.write(folder.resolve("large"), new byte[(16 << 20) + 1]);
        assertTrue(refusal(() -> Identity.readAll(large)).endsWith("is larger than 16 MiB"));
        assertThrows(NoSuchFileException.class, () -> Identity.readAll(folder.resolve("missing")));
    }

    private static String refusal(Executable read) {
        return assertThrows(IllegalArgumentException.class, read).getMessage();
    }

    private static String text(PreSharedKey key) {
        return new String(key.secretChars());
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("keys.txt"), text);
    }
}
