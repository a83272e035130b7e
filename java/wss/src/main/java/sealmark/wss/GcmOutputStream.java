package sealmark.wss;

import java.io.IOException;
import java.io.OutputStream;
import java.security.InvalidKeyException;
import java.security.Key;
import java.util.Arrays;

/**
 * Encrypts to a payload as {@link GcmInputStream} opens it: a random initialization vector, the ciphertext, and the tag, which
 * {@link #finish} writes. One key may encrypt 2^32 payloads at most (NIST SP 800-38D, section 8.3).
 *
 * <p>A payload without its tag cannot be opened. {@link #close} does not write the tag: the stream is also closed after reading
 * the plaintext has failed, and must then not make the part that was written authentic.
 */
public final class GcmOutputStream extends OutputStream {
    private final OutputStream out;
    private final Gcm gcm;
    private final Abandoned resources = Abandoned.watch(this);
    private final byte[] piece = new byte[Gcm.PIECE];
    private int filled;
    private long left = Gcm.MAX_PLAINTEXT;
    private boolean isFinished;
    private boolean isClosed;
    private boolean hasFailed;

    /**
     * Writes the initialization vector.
     *
     * @param out gets the payload; closed with this stream
     * @param key an AES key of 16, 24 or 32 bytes
     * @throws IOException if {@code out} fails
     * @throws InvalidKeyException for any other key
     */
    public GcmOutputStream(OutputStream out, Key key) throws IOException, InvalidKeyException {
        this.out = out;
        byte[] bytes = key.getEncoded();
        if (bytes == null) {
            throw new InvalidKeyException("the key does not export its bytes, which this stream needs");
        }
        try {
            gcm = Gcm.sealing(bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
        resources.add(gcm);
        out.write(gcm.iv());
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        if (offset < 0 || length < 0 || length > from.length - offset) {
            throw new IndexOutOfBoundsException();
        }
        if (isClosed || isFinished) {
            throw new IOException(isClosed ? "the stream is closed" : "the payload is finished");
        }
        if (length > left) {
            hasFailed = true;
            throw new IOException("AES-GCM encrypts " + Gcm.MAX_PLAINTEXT + " bytes at most");
        }
        left -= length;
        int done = 0;
        while (done < length) {
            int bytes = Math.min(length - done, piece.length - filled);
            System.arraycopy(from, offset + done, piece, filled, bytes);
            filled += bytes;
            done += bytes;
            if (filled == piece.length) {
                writePiece();
            }
        }
    }

    private void writePiece() throws IOException {
        if (hasFailed) {
            throw new IOException("an earlier write has failed");
        }
        if (filled == 0) {
            return;
        }
        hasFailed = true;
        gcm.seal(piece, filled);
        out.write(piece, 0, filled);
        hasFailed = false;
        filled = 0;
    }

    /**
     * Encrypts the rest and writes the tag, which makes the payload complete. The stream below stays open until {@link #close}.
     *
     * @throws IOException if an earlier write has failed, or this one does
     */
    public void finish() throws IOException {
        if (isFinished) {
            return;
        }
        if (isClosed) {
            throw new IOException("the stream was closed before finish(), and its payload has no tag");
        }
        writePiece();
        isFinished = true;
        hasFailed = true;
        out.write(gcm.tag());
        hasFailed = false;
        out.flush();
    }

    /** Wipes the key and closes the stream below. Without {@link #finish} the payload has no tag, and cannot be opened. */
    @Override
    public void close() throws IOException {
        if (isClosed) {
            return;
        }
        isClosed = true;
        Arrays.fill(piece, (byte) 0);
        try {
            resources.close();
        } finally {
            out.close();
        }
    }
}
