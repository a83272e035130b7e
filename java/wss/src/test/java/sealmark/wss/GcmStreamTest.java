package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.wss.Payloads.assertNotAuthentic;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.InvalidKeyException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Streams against the JDK's cipher, both ways. */
final class GcmStreamTest {
    private static final SecretKey KEY = Payloads.key(16);

    @TempDir
    Path directory;

    @Test
    void whatTheJdkEncryptsOpens() throws Exception {
        for (int bytes : new int[] {16, 24, 32}) {
            for (int length : Payloads.LENGTHS) {
                SecretKey key = Payloads.key(bytes);
                byte[] plaintext = Payloads.random(length, length);
                assertArrayEquals(plaintext, opened(key, Payloads.sealed(key, plaintext)), bytes + " " + length);
            }
        }
    }

    @Test
    void theJdkDecryptsWhatWeSeal() throws Exception {
        for (int bytes : new int[] {16, 24, 32}) {
            for (int length : Payloads.LENGTHS) {
                SecretKey key = Payloads.key(bytes);
                byte[] plaintext = Payloads.random(length, length);
                assertArrayEquals(plaintext, Payloads.opened(key, sealed(key, plaintext)), bytes + " " + length);
            }
        }
    }

    @Test
    void noTwoPayloadsHaveOneVector() throws Exception {
        assertFalse(Arrays.equals(sealed(KEY, new byte[9]), sealed(KEY, new byte[9])));
    }

    @Test
    void aFlippedBitAnywhereOpensNothing() throws Exception {
        byte[] sealed = Payloads.sealed(KEY, Payloads.random(3, 100));
        for (int bit = 0; bit < 8 * sealed.length; bit++) {
            byte[] flipped = Payloads.flipped(sealed, bit);
            assertNotAuthentic(() -> opened(KEY, flipped));
        }
        byte[] large = Payloads.sealed(KEY, Payloads.random(4, 2 * Gcm.PIECE + 500));
        for (int at = 0; at < large.length; at += 9973) {
            byte[] flipped = Payloads.flipped(large, 8 * at);
            assertNotAuthentic(() -> opened(KEY, flipped));
        }
    }

    @Test
    void aTruncatedPayloadOpensNothing() throws Exception {
        byte[] sealed = Payloads.sealed(KEY, Payloads.random(3, 100));
        for (int length = 0; length < sealed.length; length++) {
            byte[] truncated = Arrays.copyOf(sealed, length);
            assertNotAuthentic(() -> opened(KEY, truncated));
        }
    }

    @Test
    void anotherKeyOpensNothing() throws Exception {
        byte[] sealed = Payloads.sealed(KEY, Payloads.random(3, 100));
        assertNotAuthentic(() -> opened(Payloads.key(32), sealed));
    }

    @Test
    void aKeyOfAnotherLengthIsRefused() {
        SecretKey key = new SecretKeySpec(new byte[20], "AES");
        assertThrows(InvalidKeyException.class, () -> opened(key, new byte[28]));
        assertThrows(InvalidKeyException.class, () -> sealed(key, new byte[1]));
    }

    @Test
    void aChannelIsOpenedFromItsPosition() throws Exception {
        Path file = directory.resolve("file");
        byte[] sealed = Payloads.sealed(KEY, Payloads.random(3, 100));
        Files.write(file, ByteBuffer.allocate(5 + sealed.length).put(new byte[5]).put(sealed).array());
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        channel.position(5);
        try (InputStream in = GcmInputStream.open(channel, KEY)) {
            assertArrayEquals(Payloads.random(3, 100), Payloads.all(in));
        }
        assertFalse(channel.isOpen());
        assertTrue(Files.exists(file));
    }

    @Test
    void aFileThatChangesMeanwhileReleasesNothingOfTheChange() throws Exception {
        byte[] plaintext = Payloads.random(3, 3 * Gcm.PIECE);
        Path file = directory.resolve("file");
        Files.write(file, Payloads.sealed(KEY, plaintext));
        try (InputStream in = GcmInputStream.open(file, KEY);
                FileChannel other = FileChannel.open(file, StandardOpenOption.WRITE)) {
            other.write(ByteBuffer.allocate(1), Gcm.IV + Gcm.PIECE + 1000);
            ByteArrayOutputStream released = new ByteArrayOutputStream();
            assertNotAuthentic(() -> Payloads.copy(in, released));
            assertArrayEquals(Arrays.copyOf(plaintext, Gcm.PIECE), released.toByteArray());
            assertThrows(IOException.class, in::read, "a failed stream stays failed");
        }
    }

    @Test
    void aFileThatShrinksMeanwhileIsAnError() throws Exception {
        Path file = directory.resolve("file");
        Files.write(file, Payloads.sealed(KEY, Payloads.random(3, 3 * Gcm.PIECE)));
        try (InputStream in = GcmInputStream.open(file, KEY);
                FileChannel other = FileChannel.open(file, StandardOpenOption.WRITE)) {
            other.truncate(Gcm.PIECE);
            assertThrows(IOException.class, () -> Payloads.all(in));
        }
    }

    @Test
    void theSpoolLeavesNoName() throws Exception {
        byte[] sealed = Payloads.sealed(KEY, Payloads.random(3, 100));
        try (InputStream in = GcmInputStream.spooled(new ByteArrayInputStream(sealed), directory, KEY)) {
            if (!System.getProperty("os.name").startsWith("Windows")) {
                assertEquals(0, directory.toFile().list().length, "kill -9 leaves nothing behind");
            }
            assertEquals(100, Payloads.all(in).length);
        }
        assertEquals(0, directory.toFile().list().length);
    }

    /** A file without a name still has content, on the disk. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void theSpoolHasCiphertextAlone() throws Exception {
        byte[] plaintext = Payloads.random(3, 2 * Gcm.PIECE + 500);
        byte[] sealed = Payloads.sealed(KEY, plaintext);
        try (InputStream in = GcmInputStream.spooled(new ByteArrayInputStream(sealed), directory, KEY)) {
            for (int at = 0; at < plaintext.length; at++) {
                if (at % 100_000 == 1) {
                    assertSpooled(sealed);
                }
                assertEquals(plaintext[at] & 0xff, in.read());
            }
            assertSpooled(sealed);
        }
        assertEquals(0, Payloads.unnamed(directory).size());
    }

    private void assertSpooled(byte[] sealed) throws IOException {
        List<byte[]> spools = Payloads.unnamed(directory);
        assertEquals(1, spools.size());
        assertArrayEquals(sealed, spools.get(0));
    }

    @Test
    void anInputThatFailsLeavesNothing() {
        InputStream failing = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("the client went away");
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return read();
            }
        };
        assertEquals("the client went away",
                assertThrows(IOException.class, () -> GcmInputStream.spooled(failing, directory, KEY)).getMessage());
        assertEquals(0, directory.toFile().list().length);
    }

    @Test
    void aClosedStreamReadsNothing() throws Exception {
        InputStream in = GcmInputStream.spooled(
                new ByteArrayInputStream(Payloads.sealed(KEY, new byte[100])), directory, KEY);
        in.close();
        in.close();
        assertThrows(IOException.class, in::read);
    }

    @Test
    void aFailedWriteGetsNoTag() throws Exception {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        OutputStream full = new OutputStream() {
            @Override
            public void write(int one) {
                written.write(one);
            }

            @Override
            public void write(byte[] from, int offset, int length) throws IOException {
                if (written.size() >= 12) {
                    throw new IOException("no space left");
                }
                written.write(from, offset, length);
            }
        };
        GcmOutputStream out = new GcmOutputStream(full, KEY);
        assertThrows(IOException.class, () -> out.write(new byte[Gcm.PIECE]));
        assertThrows(IOException.class, () -> out.write(new byte[Gcm.PIECE]));
        assertThrows(IOException.class, out::finish);
        out.close();
        assertEquals(Gcm.IV, written.size(), "nothing was written after the write that failed");
    }

    /** The usual try statement closes it when the plaintext fails to arrive. */
    @Test
    void aStreamThatIsClosedUnfinishedGetsNoTag() throws Exception {
        for (int length : new int[] {0, 100, Gcm.PIECE, Gcm.PIECE + 100}) {
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            try (GcmOutputStream out = new GcmOutputStream(written, KEY)) {
                out.write(new byte[length]);
            }
            assertEquals(Gcm.IV + length / Gcm.PIECE * Gcm.PIECE, written.size());
            assertNotAuthentic(() -> opened(KEY, written.toByteArray()));
        }
    }

    @Test
    void aFinishedPayloadIsNotWrittenOn() throws Exception {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        GcmOutputStream out = new GcmOutputStream(written, KEY);
        out.write(new byte[100]);
        out.finish();
        assertThrows(IOException.class, () -> out.write(1));
        out.finish();
        out.close();
        assertArrayEquals(new byte[100], opened(KEY, written.toByteArray()));
        GcmOutputStream closed = new GcmOutputStream(new ByteArrayOutputStream(), KEY);
        closed.close();
        assertThrows(IOException.class, closed::finish);
    }

    @Test
    void aKeyThatFailsLeavesNoChannelOpen() throws Exception {
        Path file = directory.resolve("file");
        Files.write(file, Payloads.sealed(KEY, new byte[9]));
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        assertThrows(NullPointerException.class, () -> GcmInputStream.open(channel, null));
        assertFalse(channel.isOpen());
    }

    @Test
    void aStreamWithoutEndFillsNoDisk() throws Exception {
        byte[] sealed = Payloads.sealed(KEY, new byte[100]);
        Spool.copy(new ByteArrayInputStream(sealed), directory, sealed.length).close();
        assertTrue(assertThrows(IOException.class,
                () -> Spool.copy(new ByteArrayInputStream(sealed), directory, sealed.length - 1)).getMessage()
                .contains("longer than " + (sealed.length - 1) + " bytes, the limit that this receiver has set"));
        assertEquals(0, directory.toFile().list().length);
    }

    @Test
    void aChannelThatGivesNothingIsAnError() {
        SeekableByteChannel nothing = new SeekableByteChannel() {
            @Override
            public int read(ByteBuffer into) {
                return 0;
            }

            @Override
            public int write(ByteBuffer from) {
                throw new UnsupportedOperationException();
            }

            @Override
            public long position() {
                return 0;
            }

            @Override
            public SeekableByteChannel position(long position) {
                return this;
            }

            @Override
            public long size() {
                return 100;
            }

            @Override
            public SeekableByteChannel truncate(long size) {
                throw new UnsupportedOperationException();
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
        assertTimeoutPreemptively(Duration.ofSeconds(10),
                () -> assertThrows(IOException.class, () -> GcmInputStream.open(nothing, KEY)));
    }

    @Test
    void anInterruptIsExplained() throws Exception {
        byte[] sealed = Payloads.sealed(KEY, new byte[Gcm.PIECE + 9]);
        Thread.currentThread().interrupt();
        try {
            assertInterrupted(() -> GcmInputStream.spooled(new ByteArrayInputStream(sealed), directory, KEY));
        } finally {
            assertTrue(Thread.interrupted(), "it stays interrupted");
        }
        GcmInputStream in = GcmInputStream.spooled(new ByteArrayInputStream(sealed), directory, KEY);
        Thread.currentThread().interrupt();
        try {
            assertInterrupted(in::read);
        } finally {
            assertTrue(Thread.interrupted(), "it stays interrupted");
        }
        in.close();
    }

    private static void assertInterrupted(Executable read) {
        IOException error = assertThrows(IOException.class, read);
        assertTrue(String.valueOf(error.getMessage()).contains("because its thread was interrupted"), error.toString());
        assertInstanceOf(ClosedByInterruptException.class, error.getCause());
    }

    private byte[] opened(SecretKey key, byte[] sealed) throws Exception {
        try (InputStream in = GcmInputStream.spooled(new ByteArrayInputStream(sealed), directory, key)) {
            return Payloads.all(in);
        }
    }

    private static byte[] sealed(SecretKey key, byte[] plaintext) throws Exception {
        ByteArrayOutputStream sealed = new ByteArrayOutputStream();
        try (GcmOutputStream out = new GcmOutputStream(sealed, key)) {
            out.write(plaintext, 0, plaintext.length / 3);
            for (int at = plaintext.length / 3; at < plaintext.length; at++) {
                out.write(plaintext[at]);
            }
            out.finish();
        }
        return sealed.toByteArray();
    }
}
