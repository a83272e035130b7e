package sealmark.wss;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.InvalidKeyException;
import java.security.Key;
import java.util.Arrays;

/**
 * The plaintext of an AES-GCM payload (an initialization vector of 12 bytes, a ciphertext, a tag of 16 bytes) whose tag was
 * verified before the stream was created. It replaces {@link javax.crypto.CipherInputStream}, in constant memory and linear
 * time, on every JDK.
 *
 * <p>The ciphertext is read twice. The second pass releases a piece of 128 KiB only if it is unchanged since the first pass.
 * If a file is changed meanwhile, an {@link IOException} ends the stream, and all released bytes are authentic.
 */
public final class GcmInputStream extends InputStream {
    private final Payload payload;
    private int at;
    private int end;
    private boolean isClosed;

    private GcmInputStream(SeekableByteChannel channel, Key key) throws IOException, InvalidKeyException {
        byte[] bytes = bytesOf(key, channel);
        try {
            payload = new Payload(channel);
            try {
                payload.setKey(bytes);
                payload.authenticate(() -> false);
            } catch (IOException | InvalidKeyException | RuntimeException | Error error) {
                Payload.closeAfter(error, payload);
                throw error;
            }
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    private static byte[] bytesOf(Key key, SeekableByteChannel channel) throws InvalidKeyException {
        try {
            byte[] bytes = key.getEncoded();
            if (bytes == null) {
                throw new InvalidKeyException("the key does not export its bytes, which this stream needs");
            }
            return bytes;
        } catch (InvalidKeyException | RuntimeException | Error error) {
            Payload.closeAfter(error, channel);
            throw error;
        }
    }

    /**
     * Opens a file.
     *
     * @param file the payload
     * @param key an AES key of 16, 24 or 32 bytes
     * @return its plaintext
     * @throws IOException with an {@link javax.crypto.AEADBadTagException} as its cause if the payload is not authentic
     * @throws InvalidKeyException for any other key
     */
    public static GcmInputStream open(Path file, Key key) throws IOException, InvalidKeyException {
        return open(FileChannel.open(file, StandardOpenOption.READ), key);
    }

    /**
     * Opens a channel from its current position to its end.
     *
     * @param channel the payload; closed with the stream, or at once if no stream is returned
     * @param key an AES key of 16, 24 or 32 bytes
     * @return its plaintext
     * @throws IOException with an {@link javax.crypto.AEADBadTagException} as its cause if the payload is not authentic
     * @throws InvalidKeyException for any other key
     */
    public static GcmInputStream open(SeekableByteChannel channel, Key key) throws IOException, InvalidKeyException {
        return new GcmInputStream(channel, key);
    }

    /**
     * Opens a stream, which is copied to a temporary file first, in ciphertext.
     *
     * @param ciphertext the payload; read to its end and closed
     * @param directory for the file, which has no name on Unix and is gone when the stream is closed
     * @param key an AES key of 16, 24 or 32 bytes
     * @return its plaintext
     * @throws IOException with an {@link javax.crypto.AEADBadTagException} as its cause if the payload is not authentic
     * @throws InvalidKeyException for any other key
     */
    public static GcmInputStream spooled(InputStream ciphertext, Path directory, Key key)
            throws IOException, InvalidKeyException {
        return open(Spool.copy(ciphertext, directory), key);
    }

    @Override
    public synchronized int read() throws IOException {
        return hasMore() ? payload.piece()[at++] & 0xff : -1;
    }

    @Override
    public synchronized int read(byte[] into, int offset, int length) throws IOException {
        if (offset < 0 || length < 0 || length > into.length - offset) {
            throw new IndexOutOfBoundsException();
        }
        if (length == 0) {
            return 0;
        }
        if (!hasMore()) {
            return -1;
        }
        int bytes = Math.min(length, end - at);
        System.arraycopy(payload.piece(), at, into, offset, bytes);
        at += bytes;
        return bytes;
    }

    private boolean hasMore() throws IOException {
        if (isClosed) {
            throw new IOException("the stream is closed");
        }
        if (at == end) {
            int bytes = payload.release();
            at = 0;
            end = Math.max(bytes, 0);
        }
        return at < end;
    }

    @Override
    public synchronized int available() {
        return isClosed ? 0 : end - at;
    }

    @Override
    public synchronized void close() throws IOException {
        if (!isClosed) {
            isClosed = true;
            payload.close();
        }
    }
}
