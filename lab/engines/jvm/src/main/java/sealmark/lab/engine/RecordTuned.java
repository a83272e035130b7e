package sealmark.lab.engine;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/** AES-256-GCM with what can be reused: cipher, key, coders and the buffer between them. The nonce counts. */
final class RecordTuned implements BytesSealer {
    private static final int NONCE = RecordCiphers.NONCE;
    private static final int TAG_BITS = RecordCiphers.TAG * Byte.SIZE;

    private final Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
    private final Base64.Decoder decoder = Base64.getUrlDecoder();
    private final Cipher sealing;
    private final Cipher opening;
    private final Key key;
    private final int number;
    private long counter;
    private byte[] sealed = {};
    private ByteBuffer nonce;
    private byte[] decoded = {};

    /** The sealer's number is in its nonces, so that no two sealers make the same one. */
    RecordTuned(CipherMaker maker, int number) throws GeneralSecurityException {
        sealing = maker.instance();
        opening = maker.instance();
        key = maker.key();
        this.number = number;
    }

    @Override
    public int longest(int bytes) {
        return (NONCE + bytes + RecordCiphers.TAG + 2) / 3 * 4;
    }

    /** The encoder takes whole arrays alone, so the buffer is new where a value has another length than the last. */
    @Override
    public int seal(byte[] value, byte[] text) throws Exception {
        int length = NONCE + value.length + RecordCiphers.TAG;
        if (sealed.length != length) {
            sealed = new byte[length];
            nonce = ByteBuffer.wrap(sealed);
        }
        nonce.putInt(0, number);
        nonce.putLong(Integer.BYTES, counter++);
        sealing.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, sealed, 0, NONCE));
        sealing.doFinal(value, 0, value.length, sealed, NONCE);
        return encoder.encode(sealed, text);
    }

    @Override
    public int open(byte[] text, byte[] value) throws Exception {
        if (decoded.length < text.length) {
            decoded = new byte[text.length];
        }
        int length = RecordCiphers.sealedBytes(decoder.decode(text, decoded));
        opening.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, decoded, 0, NONCE));
        return opening.doFinal(decoded, NONCE, length, value, 0);
    }

    @Override
    public void look(byte[] text) throws Trouble {
        Base64Text.mustBe(text, "-_");
    }
}
