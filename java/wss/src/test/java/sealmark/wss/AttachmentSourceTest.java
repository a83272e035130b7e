package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static sealmark.wss.Payloads.assertNotAuthentic;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.CipherInputStream;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The source and its cipher by themselves: in order, and in every order that is none. */
final class AttachmentSourceTest {
    private static final SecretKey KEY = Payloads.key(16);
    private static final byte[] PLAINTEXT = Payloads.random(5, 2 * Gcm.PIECE + 1234);
    private static final byte[] OTHER = Payloads.random(6, 2 * Gcm.PIECE + 1234);

    @TempDir
    Path directory;

    @BeforeAll
    static void install() {
        SealmarkProvider.install();
    }

    @AfterAll
    static void uninstall() {
        SealmarkProvider.uninstall();
    }

    @Test
    void eachWayToGiveCiphertextIsRead() throws Exception {
        byte[] sealed = Payloads.sealed(KEY, PLAINTEXT);
        Path file = directory.resolve("file");
        Files.write(file, sealed);
        for (AttachmentSource source : new AttachmentSource[] {
            AttachmentSource.of(file),
            AttachmentSource.of(FileChannel.open(file, StandardOpenOption.READ)),
            AttachmentSource.spooled(new ByteArrayInputStream(sealed)),
            AttachmentSource.spooled(new ByteArrayInputStream(sealed), directory)
        }) {
            try (InputStream in = started(source)) {
                assertArrayEquals(PLAINTEXT, Payloads.all(in));
                assertEquals(-1, in.read());
            }
        }
        assertEquals(1, directory.toFile().list().length, "the file stays, and no other does");
    }

    @Test
    void aBufferBetweenThemChangesNothing() throws Exception {
        InputStream buffered = new BufferedInputStream(source(Payloads.sealed(KEY, PLAINTEXT)));
        byte[] iv = new byte[Gcm.IV];
        assertEquals(Gcm.IV, buffered.read(iv));
        Cipher cipher = initialized(iv);
        try (InputStream in = new CipherInputStream(buffered, cipher)) {
            assertArrayEquals(PLAINTEXT, Payloads.all(in));
        }
    }

    @Test
    void allOfItAtOnceIsPassed() throws Exception {
        AttachmentSource source = source(Payloads.sealed(KEY, new byte[100]));
        Cipher cipher = initialized(ivOf(source));
        byte[] handedOut = new byte[200];
        assertEquals(100, source.read(handedOut));
        assertArrayEquals(new byte[100], cipher.doFinal(handedOut, 0, 100));
    }

    @Test
    void anEmptyAttachmentIsVerifiedToo() throws Exception {
        byte[] sealed = Payloads.sealed(KEY, new byte[0]);
        try (InputStream in = started(source(sealed))) {
            assertEquals(-1, in.read());
        }
        try (InputStream in = started(source(Payloads.flipped(sealed, 8 * 20)))) {
            assertNotAuthentic(in::read);
        }
    }

    @Test
    void nothingIsReleasedOfAForgery() throws Exception {
        byte[] sealed = Payloads.sealed(KEY, PLAINTEXT);
        for (int at = Gcm.IV; at < sealed.length; at += 30_011) {
            assertNothingReleased(Payloads.flipped(sealed, 8 * at));
        }
        assertNothingReleased(Payloads.flipped(sealed, 8 * sealed.length - 1));
        assertNothingReleased(Arrays.copyOf(sealed, sealed.length - 1));
        assertNothingReleased(Arrays.copyOf(sealed, Gcm.IV + Gcm.TAG));
        byte[] swapped = Payloads.sealed(Payloads.key(32), PLAINTEXT);
        assertNothingReleased(swapped);
    }

    private void assertNothingReleased(byte[] sealed) throws Exception {
        ByteArrayOutputStream released = new ByteArrayOutputStream();
        try (InputStream in = started(source(sealed))) {
            assertNotAuthentic(() -> Payloads.copy(in, released));
            assertNotAuthentic(() -> Payloads.copy(in, released));
        }
        assertEquals(0, released.size());
    }

    @Test
    void aPayloadWithoutTagIsAnErrorAtOnce() {
        for (int length = 0; length < Gcm.IV + Gcm.TAG; length++) {
            AttachmentSource source = source(new byte[length]);
            assertNotAuthentic(source::read);
        }
    }

    @Test
    void readingOnWithoutCipherIsAnError() throws Exception {
        AttachmentSource source = source(Payloads.sealed(KEY, PLAINTEXT));
        ivOf(source);
        assertTrue(assertThrows(IOException.class, source::read).getMessage().contains("SealmarkProvider.install()"));
        assertThrows(IOException.class, source::read, "a failed source stays failed");
    }

    /** The cipher of the next provider then gets nothing either. */
    @Test
    void aHandedOnCipherGetsNothing() throws Exception {
        AttachmentSource source = source(Payloads.sealed(KEY, PLAINTEXT));
        byte[] iv = ivOf(source);
        Cipher cipher = onAnotherThread(() -> initialized(iv));
        assertFalse(cipher.getProvider() instanceof SealmarkProvider);
        try (InputStream in = new CipherInputStream(source, cipher)) {
            assertThrows(IOException.class, in::read);
        }
    }

    @Test
    void anInitializedCipherMayBeReadByAnotherThread() throws Exception {
        InputStream in = started(source(Payloads.sealed(KEY, PLAINTEXT)));
        assertArrayEquals(PLAINTEXT, onAnotherThread(() -> Payloads.all(in)));
        in.close();
    }

    @Test
    void theLastSourceOfAThreadGetsTheCipher() throws Exception {
        AttachmentSource first = source(Payloads.sealed(KEY, PLAINTEXT));
        byte[] iv = ivOf(first);
        AttachmentSource second = source(Payloads.sealed(KEY, new byte[50]));
        Cipher cipher = initialized(ivOf(second));
        Cipher late = initialized(iv);
        assertThrows(IOException.class, () -> new CipherInputStream(first, late).read());
        assertArrayEquals(new byte[50], Payloads.all(new CipherInputStream(second, cipher)));
    }

    @Test
    void anotherVectorOrModeOrTagGoesToTheNextProvider() throws Exception {
        AttachmentSource source = source(Payloads.sealed(KEY, PLAINTEXT));
        byte[] iv = ivOf(source);
        Cipher other = Cipher.getInstance("AES/GCM/NoPadding");
        other.init(Cipher.DECRYPT_MODE, KEY, new GCMParameterSpec(128, new byte[Gcm.IV]));
        assertEquals("SunJCE", other.getProvider().getName());
        other = Cipher.getInstance("AES/GCM/NoPadding");
        other.init(Cipher.ENCRYPT_MODE, KEY, new GCMParameterSpec(128, iv));
        assertEquals("SunJCE", other.getProvider().getName());
        other = Cipher.getInstance("AES/GCM/NoPadding");
        other.init(Cipher.DECRYPT_MODE, KEY, new GCMParameterSpec(96, iv));
        assertEquals("SunJCE", other.getProvider().getName());
        assertArrayEquals(PLAINTEXT, Payloads.all(new CipherInputStream(source, initialized(iv))), "the source still waits");
    }

    @Test
    void bytesOfAnotherMessageDoNotPass() throws Exception {
        AttachmentSource first = source(Payloads.sealed(KEY, PLAINTEXT));
        Cipher itsCipher = initialized(ivOf(first));
        AttachmentSource second = source(Payloads.sealed(KEY, OTHER));
        initialized(ivOf(second));
        byte[] buffer = new byte[512];
        assertEquals(512, first.read(buffer));
        byte[] others = new byte[512];
        assertEquals(512, second.read(others));
        assertThrows(IllegalStateException.class, () -> itsCipher.update(others, 0, 512));
        assertThrows(IOException.class, first::read);
        assertThrows(AEADBadTagException.class, itsCipher::doFinal);
    }

    @Test
    void interleavedStreamsEndInAnError() throws Exception {
        AttachmentSource first = source(Payloads.sealed(KEY, PLAINTEXT));
        Cipher firstCipher = initialized(ivOf(first));
        AttachmentSource second = source(Payloads.sealed(KEY, OTHER));
        Cipher secondCipher = initialized(ivOf(second));
        assertThrows(IllegalStateException.class, () -> new CipherInputStream(first, secondCipher).read());
        assertThrows(IOException.class, () -> new CipherInputStream(second, firstCipher).read(), "its cipher has failed");
    }

    @Test
    void moreThanWasHandedOutDoesNotPass() throws Exception {
        // All bytes are equal, so that only their number tells them apart.
        AttachmentSource source = source(Payloads.sealed(KEY, new byte[2000]));
        Cipher cipher = initialized(ivOf(source));
        byte[] buffer = new byte[513];
        assertEquals(512, source.read(buffer, 0, 512));
        assertThrows(IllegalStateException.class, () -> cipher.update(buffer));
    }

    @Test
    void noBytePassesTwice() throws Exception {
        AttachmentSource source = source(Payloads.sealed(KEY, PLAINTEXT));
        Cipher cipher = initialized(ivOf(source));
        byte[] buffer = new byte[512];
        assertEquals(512, source.read(buffer));
        assertEquals(512, cipher.update(buffer).length);
        assertThrows(IllegalStateException.class, () -> cipher.update(buffer));
    }

    @Test
    void bytesThatBypassTheCipherEndTheStream() throws Exception {
        AttachmentSource source = source(Payloads.sealed(KEY, PLAINTEXT));
        Cipher cipher = initialized(ivOf(source));
        assertThrows(IOException.class, () -> Payloads.all(source));
        assertThrows(AEADBadTagException.class, cipher::doFinal);
    }

    @Test
    void aCipherThatEndsEarlyIsAnError() throws Exception {
        AttachmentSource source = source(Payloads.sealed(KEY, PLAINTEXT));
        Cipher cipher = initialized(ivOf(source));
        byte[] buffer = new byte[512];
        assertEquals(512, source.read(buffer));
        assertThrows(AEADBadTagException.class, () -> cipher.doFinal(buffer));
    }

    @Test
    void aCipherThatIsInitializedAgainLeavesItsAttachment() throws Exception {
        AttachmentSource first = source(Payloads.sealed(KEY, PLAINTEXT));
        Cipher cipher = initialized(ivOf(first));
        AttachmentSource second = source(Payloads.sealed(KEY, new byte[70]));
        cipher.init(Cipher.DECRYPT_MODE, KEY, new GCMParameterSpec(128, ivOf(second)));
        assertThrows(IOException.class, first::read);
        assertArrayEquals(new byte[70], Payloads.all(new CipherInputStream(second, cipher)));
    }

    @Test
    void nestedAttachmentsOpen() throws Exception {
        byte[] inner = Payloads.sealed(Payloads.key(32), PLAINTEXT);
        InputStream outer = started(source(Payloads.sealed(KEY, inner)));
        AttachmentSource source = AttachmentSource.spooled(outer, directory);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.DECRYPT_MODE, Payloads.key(32), new GCMParameterSpec(128, ivOf(source)));
        try (InputStream in = new CipherInputStream(source, cipher)) {
            assertArrayEquals(PLAINTEXT, Payloads.all(in));
        }
    }

    @Test
    void closingEarlyIsQuietAndFreesEverything() throws Exception {
        boolean[] isClosed = new boolean[1];
        InputStream ciphertext = new ByteArrayInputStream(Payloads.sealed(KEY, PLAINTEXT)) {
            @Override
            public void close() {
                isClosed[0] = true;
            }
        };
        AttachmentSource unread = AttachmentSource.spooled(ciphertext, directory);
        unread.close();
        assertTrue(isClosed[0]);
        assertThrows(IOException.class, unread::read);
        InputStream in = started(source(Payloads.sealed(KEY, PLAINTEXT)));
        in.read();
        in.close();
        assertEquals(0, directory.toFile().list().length);
    }

    /** A watchdog closes the attachment between the provider's look at it and the key's arrival. */
    @Test
    void anAttachmentThatIsClosedMeanwhileTakesNoKey() throws Exception {
        int before = Abandoned.watched();
        AttachmentSource source = source(Payloads.sealed(KEY, PLAINTEXT));
        byte[] iv = ivOf(source);
        Cipher cipher = initialized(new SecretKeySpec(KEY.getEncoded(), "AES") {
            @Override
            public byte[] getEncoded() {
                try {
                    source.close();
                } catch (IOException error) {
                    throw new UncheckedIOException(error);
                }
                return super.getEncoded();
            }
        }, iv);
        assertFalse(cipher.getProvider() instanceof SealmarkProvider, "the key went to the next provider");
        assertTrue(assertThrows(IOException.class, source::read).getMessage().contains("the attachment is closed"));
        assertEquals(before, Abandoned.watched());
    }

    /** A key that stays in native memory is never wiped. */
    @Test
    void aResourceThatComesAfterTheEndIsClosedAtOnce() throws Exception {
        Abandoned resources = Abandoned.watch(this);
        resources.close();
        boolean[] isClosed = new boolean[1];
        assertThrows(IllegalStateException.class, () -> resources.add(() -> isClosed[0] = true));
        assertTrue(isClosed[0]);

        Path file = directory.resolve("file");
        Files.write(file, Payloads.sealed(KEY, PLAINTEXT));
        Payload payload = new Payload(FileChannel.open(file, StandardOpenOption.READ));
        payload.close();
        assertThrows(IllegalStateException.class, () -> payload.setKey(KEY.getEncoded()));
    }

    /** JDK 21 has them. */
    @Test
    void aVirtualThreadReadsToo() throws Exception {
        ExecutorService virtual = virtualThreads();
        assumeTrue(virtual != null, "this JDK has no virtual threads");
        AttachmentSource source = source(Payloads.sealed(KEY, PLAINTEXT));
        byte[] iv = ivOf(source);
        assertFalse(virtual.submit(() -> initialized(iv)).get().getProvider() instanceof SealmarkProvider, "another thread");
        assertArrayEquals(PLAINTEXT,
                virtual.submit(() -> Payloads.all(started(source(Payloads.sealed(KEY, PLAINTEXT))))).get());
        virtual.shutdown();
    }

    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException older) {
            return null;
        }
    }

    /** A watchdog closes the attachment of a sender that sends nothing more. */
    @Test
    void closingEndsAReadThatWaits() throws Exception {
        CountDownLatch isReading = new CountDownLatch(1);
        CountDownLatch isClosed = new CountDownLatch(1);
        AttachmentSource source = AttachmentSource.spooled(new InputStream() {
            @Override
            public int read() throws IOException {
                isReading.countDown();
                try {
                    isClosed.await();
                } catch (InterruptedException error) {
                    throw new IOException(error);
                }
                throw new IOException("closed below");
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return read();
            }

            @Override
            public void close() {
                isClosed.countDown();
            }
        }, directory);
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            Future<?> read = other.submit(() -> assertThrows(IOException.class, source::read));
            isReading.await();
            assertTimeoutPreemptively(Duration.ofSeconds(10), source::close);
            read.get();
        } finally {
            isClosed.countDown();
            other.shutdown();
        }
        assertEquals(0, directory.toFile().list().length);
    }

    /** The reader then frees what the closer could not. */
    @Test
    void closingDoesNotWaitForASenderThatKeepsSilent() throws Exception {
        CountDownLatch isReading = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        byte[] sealed = Payloads.sealed(KEY, PLAINTEXT);
        InputStream silent = new InputStream() {
            @Override
            public int read() {
                isReading.countDown();
                boolean hasEnded = false;
                while (!hasEnded) {
                    try {
                        ends.await();
                        hasEnded = true;
                    } catch (InterruptedException ignored) {
                        // Deaf to that, too.
                    }
                }
                return -1;
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                return read();
            }
        };
        AttachmentSource source =
                AttachmentSource.spooled(new SequenceInputStream(new ByteArrayInputStream(sealed), silent), directory);
        int before = Abandoned.watched();
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            Future<IOException> read = other.submit(() -> assertThrows(IOException.class, source::read));
            isReading.await();
            assertTimeoutPreemptively(Duration.ofSeconds(10), source::close);
            ends.countDown();
            assertTrue(read.get().getMessage().contains("closed"), read.get().toString());
        } finally {
            ends.countDown();
            other.shutdown();
        }
        assertEquals(before, Abandoned.watched());
        assertEquals(0, directory.toFile().list().length);
    }

    /** The last of the positions is the tag's, and a file's channel does not know that its attachment was closed. */
    @Test
    void closingStopsTheFirstPass() throws Exception {
        byte[] sealed = Payloads.sealed(KEY, PLAINTEXT);
        Path file = directory.resolve("file");
        Files.write(file, sealed);
        for (long position : new long[] {Gcm.IV, Gcm.IV + Gcm.PIECE, sealed.length - Gcm.TAG}) {
            Closing channel = new Closing(FileChannel.open(file, StandardOpenOption.READ), position);
            AttachmentSource source = AttachmentSource.of(channel);
            channel.source = source;
            Cipher cipher = initialized(ivOf(source));
            assertTrue(cipher.getProvider() instanceof SealmarkProvider);
            byte[] plaintext = new byte[512];
            IOException error = assertThrows(IOException.class, () -> source.read(plaintext));
            assertEquals("the attachment is closed", error.getMessage());
            assertArrayEquals(new byte[512], plaintext);
            long piece = Math.min(Gcm.PIECE, sealed.length - position);
            assertEquals(position + piece, channel.file.position(), "it stopped after the piece that it was reading");
            channel.file.close();
        }
    }

    /** Another thread closes the source during the read at a position; the file below stays open. */
    private static final class Closing implements SeekableByteChannel {
        final FileChannel file;
        AttachmentSource source;
        private final long position;

        Closing(FileChannel file, long position) {
            this.file = file;
            this.position = position;
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            if (file.position() == position) {
                try {
                    onAnotherThread(() -> {
                        source.close();
                        return null;
                    });
                } catch (InterruptedException | ExecutionException error) {
                    throw new AssertionError(error);
                }
            }
            return file.read(into);
        }

        @Override
        public long position() throws IOException {
            return file.position();
        }

        @Override
        public SeekableByteChannel position(long newPosition) throws IOException {
            file.position(newPosition);
            return this;
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public int write(ByteBuffer from) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SeekableByteChannel truncate(long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isOpen() {
            return file.isOpen();
        }

        @Override
        public void close() {}
    }

    @Test
    void anInterruptIsExplainedEachTime() throws Exception {
        InputStream in = started(source(Payloads.sealed(KEY, PLAINTEXT)));
        Thread.currentThread().interrupt();
        try {
            for (int time = 0; time < 2; time++) {
                IOException error = assertThrows(IOException.class, in::read);
                assertTrue(String.valueOf(error.getMessage()).contains("interrupted"), error.toString());
                assertTrue(error.getCause() instanceof ClosedByInterruptException, "" + error.getCause());
            }
        } finally {
            assertTrue(Thread.interrupted(), "it stays interrupted");
        }
    }

    @Test
    void aRepeatedErrorNamesTheFirst() throws Exception {
        AttachmentSource source = source(Payloads.sealed(KEY, PLAINTEXT));
        ivOf(source);
        IOException first = assertThrows(IOException.class, source::read);
        assertSame(first, assertThrows(IOException.class, source::read).getCause());
    }

    private AttachmentSource source(byte[] sealed) {
        return AttachmentSource.spooled(new ByteArrayInputStream(sealed), directory);
    }

    private static byte[] ivOf(AttachmentSource source) throws IOException {
        byte[] iv = new byte[Gcm.IV];
        assertEquals(Gcm.IV, source.read(iv));
        return iv;
    }

    private static Cipher initialized(byte[] iv) throws GeneralSecurityException {
        return initialized(KEY, iv);
    }

    private static Cipher initialized(Key key, byte[] iv) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, iv));
        return cipher;
    }

    private static InputStream started(AttachmentSource source) throws IOException, GeneralSecurityException {
        Cipher cipher = initialized(ivOf(source));
        assertTrue(cipher.getProvider() instanceof SealmarkProvider);
        return new CipherInputStream(source, cipher);
    }

    private static <T> T onAnotherThread(Callable<T> work) throws InterruptedException, ExecutionException {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            return other.submit(work).get();
        } finally {
            other.shutdown();
        }
    }
}
