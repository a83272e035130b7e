package sealmark.wss;

import java.io.ByteArrayOutputStream;
import java.security.InvalidKeyException;
import java.security.ProviderException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.AEADBadTagException;

/** A message of AES-GCM with associated data, as a {@link javax.crypto.Cipher} receives it: in parts of any length. */
abstract class Message {
    private static final int BLOCK = 16;

    final byte[] key;
    final byte[] iv;
    /** All of it comes before the text, and is hashed then. */
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private boolean hasText;

    private Message(byte[] key, byte[] iv) {
        this.key = key;
        this.iv = iv;
    }

    /** The key is kept, because a cipher compares it with the next one. */
    static Message encrypting(byte[] key, byte[] iv) throws InvalidKeyException {
        return new Encrypting(key, iv);
    }

    /** The key is kept for the message after this one, which the cipher expects under the same key and vector. */
    static Message decrypting(byte[] key, byte[] iv) {
        return new Decrypting(key, iv);
    }

    void addData(byte[] more, int offset, int length) {
        demandUnfinished();
        if (hasText) {
            throw new IllegalStateException("associated data come before the text: call updateAAD() before update()");
        }
        data.write(more, offset, length);
    }

    /** The bytes that {@link #update} will return. */
    abstract int sizeOfUpdate(int length);

    /** The bytes that {@link #finish} will write if the message is authentic. */
    abstract int sizeOfFinish(int length);

    /** Room for the output of either of them; more than that if a caller who makes room for each part would take long. */
    abstract int roomFor(int length);

    final byte[] update(byte[] in, int offset, int length) {
        demandUnfinished();
        hasText = true;
        return next(in, offset, length);
    }

    /** Writes the rest of the message. Nothing is left of it after this, whether it succeeds or not. */
    final void finish(byte[] in, int offset, int length, byte[] out, int at) throws AEADBadTagException {
        demandUnfinished();
        hasText = true;
        last(in, offset, length, out, at);
    }

    abstract byte[] next(byte[] in, int offset, int length);

    abstract void last(byte[] in, int offset, int length, byte[] out, int at) throws AEADBadTagException;

    /** The message that a cipher expects when this one has ended. */
    abstract Message after();

    abstract void demandUnfinished();

    final byte[] data() {
        return data.toByteArray();
    }

    /** Its ciphertext leaves at once, block by block. */
    private static final class Encrypting extends Message {
        private final JavaGcm gcm;
        /** Plaintext that fills no block yet. */
        private final byte[] kept = new byte[BLOCK];
        private int keptBytes;
        private long left = Gcm.MAX_PLAINTEXT;
        private boolean isAssociated;
        private boolean isFinished;

        Encrypting(byte[] key, byte[] iv) throws InvalidKeyException {
            super(key, iv);
            gcm = new JavaGcm(key, iv);
        }

        @Override
        int sizeOfUpdate(int length) {
            return (keptBytes + length) / BLOCK * BLOCK;
        }

        @Override
        int sizeOfFinish(int length) {
            return keptBytes + length + Gcm.TAG;
        }

        @Override
        int roomFor(int length) {
            return sizeOfFinish(length);
        }

        @Override
        byte[] next(byte[] in, int offset, int length) {
            byte[] text = new byte[sizeOfUpdate(length)];
            int rest = keptBytes + length - text.length;
            byte[] all = joined(in, offset, length);
            System.arraycopy(all, 0, text, 0, text.length);
            System.arraycopy(all, text.length, kept, 0, rest);
            Arrays.fill(all, (byte) 0);
            keptBytes = rest;
            seal(text, text.length);
            return text;
        }

        @Override
        void last(byte[] in, int offset, int length, byte[] out, int at) {
            byte[] text = joined(in, offset, length);
            seal(text, text.length);
            System.arraycopy(text, 0, out, at, text.length);
            System.arraycopy(gcm.tag(), 0, out, at + text.length, Gcm.TAG);
            gcm.close();
            Arrays.fill(kept, (byte) 0);
            isFinished = true;
        }

        private byte[] joined(byte[] in, int offset, int length) {
            byte[] all = Arrays.copyOf(kept, Math.addExact(keptBytes, length));
            if (length > 0) {
                System.arraycopy(in, offset, all, keptBytes, length);
            }
            return all;
        }

        private void seal(byte[] text, int length) {
            left -= length;
            if (left < 0) {
                throw new IllegalStateException("AES-GCM encrypts " + Gcm.MAX_PLAINTEXT + " bytes at most");
            }
            if (!isAssociated) {
                gcm.associate(data());
                isAssociated = true;
            }
            gcm.seal(text, length);
        }

        /** It expects none: a second message under the same vector would give both plaintexts away. */
        @Override
        Message after() {
            return this;
        }

        @Override
        void demandUnfinished() {
            if (isFinished) {
                throw new IllegalStateException("the cipher has encrypted a message with this initialization vector: initialize"
                        + " it with another one");
            }
        }
    }

    /** It is held until its tag is verified; no plaintext exists before. */
    private static final class Decrypting extends Message {
        private final List<byte[]> pieces = new ArrayList<>();
        private int size;

        Decrypting(byte[] key, byte[] iv) {
            super(key, iv);
        }

        @Override
        int sizeOfUpdate(int length) {
            return 0;
        }

        @Override
        int sizeOfFinish(int length) {
            return Math.max(0, size + length - Gcm.TAG);
        }

        /**
         * {@link javax.crypto.CipherInputStream} makes a new buffer for each part if the one that it has is too small, so that
         * its time would grow with the square of the length. With a quarter of the length to spare, it makes few.
         */
        @Override
        int roomFor(int length) {
            int needed = sizeOfFinish(length);
            int step = Math.max(1, Integer.highestOneBit(needed) / 4);
            return needed <= Gcm.PIECE || needed > Integer.MAX_VALUE - step ? needed : (needed + step - 1) / step * step;
        }

        @Override
        byte[] next(byte[] in, int offset, int length) {
            if (size > Integer.MAX_VALUE - length - Gcm.PIECE) {
                throw new ProviderException("the message is longer than an array: open it with GcmInputStream");
            }
            int from = offset;
            while (from < offset + length) {
                byte[] piece = room(offset + length - from);
                int at = size % Gcm.PIECE;
                int bytes = Math.min(piece.length - at, offset + length - from);
                System.arraycopy(in, from, piece, at, bytes);
                size += bytes;
                from += bytes;
            }
            return new byte[0];
        }

        /** The last piece, which has room. Most messages are short, and need no whole piece. */
        private byte[] room(int length) {
            int at = size % Gcm.PIECE;
            if (at == 0) {
                pieces.add(new byte[Math.min(Gcm.PIECE, length)]);
            }
            int last = pieces.size() - 1;
            byte[] piece = pieces.get(last);
            if (at == piece.length) {
                piece = Arrays.copyOf(piece, (int) Math.min(Gcm.PIECE, Math.max(2L * at, (long) at + length)));
                pieces.set(last, piece);
            }
            return piece;
        }

        @Override
        void last(byte[] in, int offset, int length, byte[] out, int at) throws AEADBadTagException {
            next(in, offset, length);
            if (size < Gcm.TAG) {
                throw new AEADBadTagException("the message is shorter than its tag");
            }
            byte[] tag = new byte[Gcm.TAG];
            int text = size - Gcm.TAG;
            for (int index = 0; index < tag.length; index++) {
                int from = text + index;
                tag[index] = pieces.get(from / Gcm.PIECE)[from % Gcm.PIECE];
            }
            try (Gcm gcm = engine()) {
                authenticate(gcm, text, tag);
                release(gcm, text, out, at);
            } finally {
                pieces.clear();
            }
        }

        /** Native code has no associated data. */
        private Gcm engine() {
            try {
                byte[] data = data();
                if (data.length == 0) {
                    return Gcm.opening(key, iv);
                }
                JavaGcm gcm = new JavaGcm(key, iv);
                gcm.associate(data);
                return gcm;
            } catch (InvalidKeyException error) {
                throw new ProviderException(error);
            }
        }

        private void authenticate(Gcm gcm, int text, byte[] tag) throws AEADBadTagException {
            for (int done = 0; done < text; done += Gcm.PIECE) {
                gcm.authenticate(pieces.get(done / Gcm.PIECE), Math.min(Gcm.PIECE, text - done));
            }
            if (!gcm.isAuthentic(tag)) {
                throw new AEADBadTagException("Tag mismatch");
            }
        }

        private void release(Gcm gcm, int text, byte[] out, int at) {
            for (int done = 0; done < text; done += Gcm.PIECE) {
                byte[] piece = pieces.get(done / Gcm.PIECE);
                int bytes = Math.min(Gcm.PIECE, text - done);
                if (!gcm.release(piece, bytes)) {
                    throw new ProviderException("a piece of the message changed after it was verified");
                }
                System.arraycopy(piece, 0, out, at + done, bytes);
                Arrays.fill(piece, (byte) 0);
            }
        }

        @Override
        Message after() {
            return new Decrypting(key, iv);
        }

        @Override
        void demandUnfinished() {
            // The cipher has the next message by then.
        }
    }
}
