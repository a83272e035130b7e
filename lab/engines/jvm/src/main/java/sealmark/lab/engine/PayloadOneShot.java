package sealmark.lab.engine;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import javax.crypto.Cipher;

/** Shape {@code one-shot}: all of the input in one array, one call, all of the output in another. */
final class PayloadOneShot extends Payload {
    private final PayloadCipher ciphers;

    PayloadOneShot(PayloadCipher ciphers) {
        super(ciphers + " in one call");
        this.ciphers = ciphers;
    }

    @Override
    void seal(Path input, Path output) throws Exception {
        byte[] plain = Files.readAllBytes(input);
        byte[] vector = ciphers.newVector();
        byte[] sealed = ciphers.under(vector, Cipher.ENCRYPT_MODE).doFinal(plain);
        try (OutputStream out = to(output)) {
            out.write(vector);
            out.write(sealed);
        }
    }

    @Override
    void open(Path input, Path output) throws Exception {
        byte[] sealed = Files.readAllBytes(input);
        if (sealed.length < VECTOR) {
            throw withoutVector(sealed.length);
        }
        Cipher cipher = ciphers.under(Arrays.copyOf(sealed, VECTOR), Cipher.DECRYPT_MODE);
        byte[] plain = cipher.doFinal(sealed, VECTOR, sealed.length - VECTOR);
        try (OutputStream out = to(output)) {
            out.write(plain);
        }
    }
}
