package sealmark.lab.engine;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import javax.crypto.Cipher;
import javax.crypto.CipherInputStream;
import javax.crypto.CipherOutputStream;

/** Shape {@code stream}: the library's own stream class between the two files. */
final class PayloadStream extends Payload {
    /** A pair of stream classes. */
    interface Streams {
        OutputStream sealing(OutputStream sealed, Cipher cipher);

        InputStream opening(InputStream sealed, Cipher cipher);
    }

    /** The stream classes of the JCA, for libraries without any of their own. */
    static final Streams JCA = new Streams() {
        @Override
        public OutputStream sealing(OutputStream sealed, Cipher cipher) {
            return new CipherOutputStream(sealed, cipher);
        }

        @Override
        public InputStream opening(InputStream sealed, Cipher cipher) {
            return new CipherInputStream(sealed, cipher);
        }
    };

    private final PayloadCipher ciphers;
    private final Streams streams;

    PayloadStream(PayloadCipher ciphers, Streams streams) {
        super(ciphers + " through " + packageOf(streams) + ".CipherOutputStream and CipherInputStream");
        this.ciphers = ciphers;
        this.streams = streams;
    }

    private static String packageOf(Streams streams) {
        return streams.opening(new ByteArrayInputStream(new byte[0]), null).getClass().getPackage().getName();
    }

    @Override
    void seal(Path input, Path output) throws Exception {
        try (InputStream in = from(input); OutputStream sealed = to(output)) {
            byte[] vector = ciphers.newVector();
            sealed.write(vector);
            try (OutputStream out = streams.sealing(sealed, ciphers.under(vector, Cipher.ENCRYPT_MODE))) {
                copy(in, out);
            }
        }
    }

    @Override
    void open(Path input, Path output) throws Exception {
        try (InputStream sealed = from(input); OutputStream out = to(output);
                InputStream in = streams.opening(sealed, ciphers.under(vector(sealed), Cipher.DECRYPT_MODE))) {
            copy(in, out);
        }
    }
}
