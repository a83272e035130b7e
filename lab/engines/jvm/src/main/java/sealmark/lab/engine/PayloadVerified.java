package sealmark.lab.engine;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import sealmark.wss.GcmInputStream;
import sealmark.wss.GcmOutputStream;

/** Mode {@code stream} of this project's classes, which read a file twice and need no cipher of the JCA. */
final class PayloadVerified extends Payload {
    private final SealmarkWss library;
    private final SecretKey key;

    PayloadVerified(PayloadJob job, SealmarkWss library) {
        super(library + " through GcmOutputStream and GcmInputStream");
        this.library = library;
        key = new SecretKeySpec(job.recipe.key(job.algorithm.keyBytes), job.algorithm.keyName);
    }

    @Override
    void seal(Path input, Path output) throws Exception {
        try (InputStream in = from(input); OutputStream sealed = to(output);
                GcmOutputStream out = new GcmOutputStream(sealed, key)) {
            copy(in, out);
            out.finish();
        }
        // Only now: the library is loaded by the first operation, as for a user.
        library.verify();
    }

    @Override
    void open(Path input, Path output) throws Exception {
        try (SeekableByteChannel sealed = Files.newByteChannel(input); OutputStream out = to(output);
                InputStream in = GcmInputStream.open(sealed, key)) {
            copy(in, out);
        }
        library.verify();
    }
}
