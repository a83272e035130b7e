package sealmark.wss;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SeekableByteChannel;
import java.security.InvalidKeyException;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import javax.crypto.AEADBadTagException;

/** An initialization vector, a ciphertext and a tag in a channel, from its position to its end, which are read twice. */
final class Payload implements Closeable {
    private final SeekableByteChannel channel;
    private final Abandoned resources = Abandoned.watch(this);
    private final byte[] iv = new byte[Gcm.IV];
    private final long start;
    private final long length;
    private final byte[] piece;
    private long released;
    private Gcm gcm;

    /** Takes the channel, and closes it if this fails. */
    Payload(SeekableByteChannel channel) throws IOException {
        this.channel = channel;
        resources.add(channel);
        try {
            start = channel.position() + Gcm.IV;
            length = channel.size() - start - Gcm.TAG;
            if (length < 0) {
                throw new IOException(new AEADBadTagException("the payload is shorter than a vector and a tag"));
            }
            if (length > Gcm.MAX_PLAINTEXT) {
                throw new IOException("the payload is longer than AES-GCM allows: " + length + " bytes");
            }
            piece = new byte[(int) Math.min(length, Gcm.PIECE)];
            read(iv, iv.length);
        } catch (ClosedByInterruptException error) {
            IOException explained = interrupted(error);
            closeAfter(explained, resources);
            throw explained;
        } catch (IOException | RuntimeException | Error error) {
            closeAfter(error, resources);
            throw error;
        }
    }

    /** The first failure is the one that counts. */
    static void closeAfter(Throwable failure, Closeable resource) {
        try {
            resource.close();
        } catch (IOException second) {
            failure.addSuppressed(second);
        }
    }

    byte[] iv() {
        return iv.clone();
    }

    long length() {
        return length;
    }

    void setKey(byte[] key) throws InvalidKeyException {
        Gcm opening = Gcm.opening(key, iv);
        resources.add(opening);
        gcm = opening;
    }

    /** The first pass, which fails as soon as its attachment is closed; no plaintext exists before it has succeeded. */
    void authenticate(BooleanSupplier isClosed) throws IOException {
        seekText();
        for (long done = 0; done < length; done += piece.length) {
            int bytes = (int) Math.min(length - done, piece.length);
            read(piece, bytes);
            gcm.authenticate(piece, bytes);
            if (isClosed.getAsBoolean()) {
                throw AttachmentSource.closed();
            }
        }
        byte[] tag = new byte[Gcm.TAG];
        read(tag, tag.length);
        if (!gcm.isAuthentic(tag)) {
            throw notAuthentic();
        }
        if (isClosed.getAsBoolean()) {
            throw AttachmentSource.closed();
        }
        seekText();
    }

    private void seekText() throws IOException {
        try {
            channel.position(start);
        } catch (ClosedByInterruptException error) {
            throw interrupted(error);
        }
    }

    /** The second pass: fills {@link #piece} with the next plaintext. The number of its bytes, or -1 at the end. */
    int release() throws IOException {
        if (released == length) {
            return -1;
        }
        int bytes = (int) Math.min(length - released, piece.length);
        read(piece, bytes);
        if (!gcm.release(piece, bytes)) {
            throw notAuthentic();
        }
        released += bytes;
        return bytes;
    }

    byte[] piece() {
        return piece;
    }

    private void read(byte[] into, int length) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(into, 0, length);
        while (rest.hasRemaining()) {
            int bytes = channelRead(rest);
            if (bytes < 0) {
                throw new IOException("the payload became shorter while it was read");
            }
            if (bytes == 0) {
                throw new IOException("the channel of the payload returned no bytes before its end: pass a blocking channel");
            }
        }
    }

    private int channelRead(ByteBuffer rest) throws IOException {
        try {
            return channel.read(rest);
        } catch (ClosedByInterruptException error) {
            throw interrupted(error);
        }
    }

    /** It has no message of its own, and the file is gone with it. */
    static IOException interrupted(ClosedByInterruptException error) {
        return new IOException("the attachment's file was closed because its thread was interrupted: receive the message again",
                error);
    }

    /** An exception as that of {@link javax.crypto.CipherInputStream}, because readers look for its cause. */
    private static IOException notAuthentic() {
        return new IOException(new AEADBadTagException("Tag mismatch"));
    }

    @Override
    public void close() throws IOException {
        Arrays.fill(piece, (byte) 0);
        resources.close();
    }
}
