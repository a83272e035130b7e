package sealmark.lab.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;

/** Shape {@code update}: a buffer at a time through {@link Cipher#update(byte[], int, int)}. */
final class PayloadUpdate extends Payload {
    private final PayloadCipher ciphers;

    PayloadUpdate(PayloadCipher ciphers) {
        super(ciphers + " by update");
        this.ciphers = ciphers;
    }

    @Override
    void seal(Path input, Path output) throws Exception {
        try (InputStream in = from(input); OutputStream out = to(output)) {
            byte[] vector = ciphers.newVector();
            out.write(vector);
            pump(in, ciphers.under(vector, Cipher.ENCRYPT_MODE), out);
        }
    }

    @Override
    void open(Path input, Path output) throws Exception {
        try (InputStream in = from(input); OutputStream out = to(output)) {
            pump(in, ciphers.under(vector(in), Cipher.DECRYPT_MODE), out);
        }
    }

    private static void pump(InputStream in, Cipher cipher, OutputStream out)
            throws IOException, GeneralSecurityException {
        byte[] buffer = buffer();
        for (int length = in.read(buffer); length != -1; length = in.read(buffer)) {
            write(cipher.update(buffer, 0, length), out);
        }
        write(cipher.doFinal(), out);
    }

    /** Null is how the JCA says that nothing came back. */
    private static void write(byte[] bytes, OutputStream out) throws IOException {
        if (bytes != null) {
            out.write(bytes);
        }
    }
}
