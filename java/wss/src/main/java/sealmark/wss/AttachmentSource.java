package sealmark.wss;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.InvalidKeyException;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import javax.crypto.AEADBadTagException;
import javax.crypto.ShortBufferException;

/**
 * An AES-GCM attachment for a {@link javax.crypto.CipherInputStream} of Apache WSS4J, which receives no byte before the tag of
 * the whole attachment is verified.
 *
 * <p>It works together with {@link SealmarkProvider}, in this order, which WSS4J keeps:
 * <ol>
 * <li>The stack reads the initialization vector, 12 bytes, from this stream.
 * <li>It initializes a cipher {@code AES/GCM/NoPadding} for decryption with that vector, on the same thread.
 * <li>It reads further. This stream now verifies the tag in a first pass over the ciphertext, and returns plaintext in a
 * second one.
 * <li>The cipher passes bytes of this stream on. It compares them with those that the stream returned, and refuses others.
 * </ol>
 *
 * <p>In any other order the stream ends with an {@link IOException}. If the tag does not fit, the cause of that exception is an
 * {@link AEADBadTagException}. The ciphertext has to be read twice, so a stream is copied to a temporary file first, in
 * ciphertext; the file has no name on Unix and is gone when this stream ends, fails or is closed.
 */
public final class AttachmentSource extends InputStream {
    private static final String CLOSED = "the attachment is closed";

    private final Closeable origin;
    private final Opener opener;
    /** Runs if the stream fails before it is verified. */
    private final Runnable onRefusal;
    /** Not a monitor: JDK 21 to 23 pin the carrier of a virtual thread that reads from a slow sender under one. */
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean isClosed;
    private IOException failure;
    private Payload payload;
    /** Null before the payload is opened. */
    private byte[] iv;
    private int ivRead;
    /** The cipher that has this source, by identity; null before it is initialized. */
    private Object cipher;
    private boolean isAuthentic;
    private boolean isAtEnd;
    /** The bounds, in the payload's piece, of the bytes that were handed out and did not pass the cipher yet. */
    private int passed;
    private int handedOut;
    private int released;
    private long allPassed;

    /** Opens the ciphertext when it is read first. */
    private interface Opener {
        SeekableByteChannel open() throws IOException;
    }

    private AttachmentSource(Closeable origin, Opener opener, Runnable onRefusal) {
        this.origin = origin;
        this.opener = opener;
        this.onRefusal = onRefusal;
    }

    /**
     * An attachment in a file, which stays where it is.
     *
     * @param file an initialization vector, a ciphertext and a tag
     * @return the stream to hand to the stack
     */
    public static AttachmentSource of(Path file) {
        Objects.requireNonNull(file);
        return new AttachmentSource(() -> { }, () -> FileChannel.open(file, StandardOpenOption.READ), () -> { });
    }

    /**
     * An attachment in a channel, from its current position to its end.
     *
     * @param channel an initialization vector, a ciphertext and a tag; closed with this stream
     * @return the stream to hand to the stack
     */
    public static AttachmentSource of(SeekableByteChannel channel) {
        return new AttachmentSource(Objects.requireNonNull(channel), () -> channel, () -> { });
    }

    /**
     * An attachment in a stream, which is copied to a file of the directory {@code java.io.tmpdir} when it is read first.
     *
     * @param ciphertext an initialization vector, a ciphertext and a tag; closed with this stream at the latest
     * @return the stream to hand to the stack
     */
    public static AttachmentSource spooled(InputStream ciphertext) {
        return spooled(ciphertext, Spool.defaultDirectory());
    }

    /**
     * An attachment in a stream, which is copied to a file when it is read first.
     *
     * @param ciphertext an initialization vector, a ciphertext and a tag; closed with this stream at the latest
     * @param directory for the file, which holds ciphertext only
     * @return the stream to hand to the stack
     */
    public static AttachmentSource spooled(InputStream ciphertext, Path directory) {
        return spooled(ciphertext, directory, Spool.LONGEST, () -> { });
    }

    static AttachmentSource spooled(InputStream ciphertext, Path directory, long limit, Runnable onRefusal) {
        Objects.requireNonNull(directory);
        return new AttachmentSource(
                Objects.requireNonNull(ciphertext), () -> Spool.copy(ciphertext, directory, limit), onRefusal);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (offset < 0 || length < 0 || length > into.length - offset) {
            throw new IndexOutOfBoundsException();
        }
        lock.lock();
        try {
            return readLocked(into, offset, length);
        } finally {
            unlock();
        }
    }

    private int readLocked(byte[] into, int offset, int length) throws IOException {
        if (failure != null) {
            // Readers look at the cause for the reason.
            throw new IOException(failure.getMessage(), failure.getCause() == null ? failure : failure.getCause());
        }
        if (isClosed) {
            throw closed();
        }
        try {
            return length == 0 ? 0 : handOut(into, offset, length);
        } catch (IOException | RuntimeException | Error error) {
            failure = error instanceof IOException ? (IOException) error : new IOException(error);
            Payload.closeAfter(error, this::release);
            if (!isAuthentic) {
                onRefusal.run();
            }
            throw error;
        }
    }

    private int handOut(byte[] into, int offset, int length) throws IOException {
        if (payload == null && !isAtEnd) {
            payload = new Payload(opener.open());
            iv = payload.iv();
            if (isClosed) {
                throw closed();
            }
        }
        return ivRead < iv.length ? handOutIv(into, offset, length) : handOutPlaintext(into, offset, length);
    }

    private int handOutIv(byte[] into, int offset, int length) {
        int bytes = Math.min(length, iv.length - ivRead);
        System.arraycopy(iv, ivRead, into, offset, bytes);
        ivRead += bytes;
        if (ivRead == iv.length) {
            Threads.arm(this);
        }
        return bytes;
    }

    private int handOutPlaintext(byte[] into, int offset, int length) throws IOException {
        if (cipher == null) {
            throw new IOException("the attachment was read beyond its initialization vector, but no cipher AES/GCM/NoPadding of"
                    + " the provider Sealmark was initialized with that vector on the thread that read it: call"
                    + " SealmarkProvider.install(), and give the stream only to WSS4J; an attachment that is not AES-GCM needs"
                    + " no such stream");
        }
        if (isAtEnd) {
            return -1;
        }
        if (!isAuthentic) {
            payload.authenticate(() -> isClosed);
            isAuthentic = true;
        }
        boolean hasMore = handedOut < released || nextPiece();
        if (isClosed) {
            throw closed();
        }
        if (!hasMore) {
            return -1;
        }
        int bytes = Math.min(length, released - handedOut);
        System.arraycopy(payload.piece(), handedOut, into, offset, bytes);
        handedOut += bytes;
        return bytes;
    }

    private boolean nextPiece() throws IOException {
        if (passed < handedOut) {
            throw new IOException("the attachment was read on before its cipher had received the earlier bytes");
        }
        int bytes = payload.release();
        if (bytes < 0) {
            isAtEnd = true;
            release();
            return false;
        }
        passed = 0;
        handedOut = 0;
        released = bytes;
        return true;
    }

    /** True until the stream ends, fails or is closed; does not wait for a reader. */
    boolean isOpen() {
        if (!lock.tryLock()) {
            return true;
        }
        try {
            return failure == null && !isClosed && !isAtEnd;
        } finally {
            unlock();
        }
    }

    /** True while a cipher of the same thread may take this source. */
    boolean isArmed() {
        lock.lock();
        try {
            return cipher == null && failure == null && !isClosed && iv != null && ivRead == iv.length;
        } finally {
            unlock();
        }
    }

    /** True if {@code vector} is the one that this source handed out. */
    boolean hasHandedOut(byte[] vector) {
        return isArmed() && Arrays.equals(iv, vector);
    }

    /** Gives the source its key, and itself to a cipher. */
    void bind(Object newCipher, byte[] key) throws InvalidKeyException {
        lock.lock();
        try {
            if (isClosed) {
                throw new IllegalStateException(CLOSED);
            }
            payload.setKey(key);
            cipher = newCipher;
        } finally {
            unlock();
        }
    }

    /** Passes bytes through their cipher: those, and only those, that this source handed out and that did not pass yet. */
    int pass(Object itsCipher, byte[] in, int offset, int length, byte[] out, int at) throws ShortBufferException {
        lock.lock();
        try {
            return passLocked(itsCipher, in, offset, length, out, at);
        } finally {
            unlock();
        }
    }

    private int passLocked(Object itsCipher, byte[] in, int offset, int length, byte[] out, int at)
            throws ShortBufferException {
        if (length > out.length - at) {
            throw new ShortBufferException("the output has room for " + (out.length - at) + " bytes, but needs " + length);
        }
        if (length == 0) {
            return 0;
        }
        boolean isMine = itsCipher == cipher && failure == null && !isClosed && length <= handedOut - passed;
        if (!isMine || !matches(in, offset, length)) {
            String message = isClosed ? CLOSED
                    : "the cipher received bytes that its attachment did not return: read the stream from one place only";
            fail(new IOException(message));
            throw new IllegalStateException(message);
        }
        System.arraycopy(payload.piece(), passed, out, at, length);
        passed += length;
        allPassed += length;
        return length;
    }

    /** In constant time: a caller with other bytes learns nothing but that they differ. */
    private boolean matches(byte[] in, int offset, int length) {
        byte[] piece = payload.piece();
        int difference = 0;
        for (int index = 0; index < length; index++) {
            difference |= in[offset + index] ^ piece[passed + index];
        }
        return difference == 0;
    }

    /** Ends the cipher's work, which is an error unless all of the attachment has passed it. */
    void end(Object itsCipher) throws AEADBadTagException {
        lock.lock();
        try {
            boolean isWhole = isAtEnd || (payload != null && isAuthentic && allPassed == payload.length());
            if (itsCipher != cipher || failure != null || !isWhole) {
                throw new AEADBadTagException("the attachment was not read to its end");
            }
        } finally {
            unlock();
        }
    }

    /** Nothing more passes; a reader gets the first failure. */
    void fail(IOException reason) {
        lock.lock();
        try {
            if (failure == null) {
                failure = reason;
                Payload.closeAfter(failure, this::release);
            }
        } finally {
            unlock();
        }
    }

    private void release() throws IOException {
        closePayload();
        origin.close();
    }

    static IOException closed() {
        return new IOException(CLOSED);
    }

    /**
     * Also ends a read that waits for a slow sender, if closing the sender's stream ends it, but does not wait for that read. A
     * read that is still verifying stops at its next piece, and returns no plaintext.
     */
    @Override
    public void close() throws IOException {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            // Without the lock, which such a read has.
            origin.close();
        } finally {
            if (lock.tryLock()) {
                try {
                    closePayload();
                } finally {
                    lock.unlock();
                }
            }
        }
    }

    /** A thread that had the lock while the stream was closed closes the payload in the closer's place. */
    private void unlock() {
        lock.unlock();
        if (isClosed && lock.tryLock()) {
            try {
                closePayload();
            } catch (IOException ignored) {
                // The stream is closed, so that nobody could do anything about it.
            } finally {
                lock.unlock();
            }
        }
    }

    private void closePayload() throws IOException {
        if (payload != null) {
            payload.close();
        }
    }
}
