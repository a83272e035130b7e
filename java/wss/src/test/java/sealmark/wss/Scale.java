package sealmark.wss;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.apache.wss4j.common.crypto.WSProviderConfig;
import org.apache.wss4j.common.ext.Attachment;
import org.apache.wss4j.common.util.AttachmentUtils;

/** A program for a JVM with a small heap ({@link ScaleTest}): attachments through {@code AttachmentUtils}. */
final class Scale {
    private static final SecretKey KEY = Payloads.key(16);

    private Scale() {}

    /**
     * {@code large} or {@code alone BYTES FILE}, {@code crowd THREADS BYTES}, {@code many} or {@code full MESSAGES}, or
     * {@code stall BYTES}.
     */
    public static void main(String[] arguments) throws Exception {
        WSProviderConfig.init();
        SealmarkProvider.install();
        long number = Long.parseLong(arguments[1]);
        switch (arguments[0]) {
            case "large":
                large(number, Paths.get(arguments[2]));
                break;
            case "alone":
                alone(number, Paths.get(arguments[2]));
                break;
            case "crowd":
                crowd((int) number, Integer.parseInt(arguments[2]));
                break;
            case "full":
                full((int) number);
                break;
            case "stall":
                stall((int) number);
                break;
            default:
                many((int) number);
        }
    }

    private static void large(long bytes, Path file) throws Exception {
        long start = System.nanoTime();
        // The JDK's cipher encrypts no more than 2 GiB.
        boolean isOurs = bytes > Integer.MAX_VALUE;
        try (InputStream in = isOurs ? new Numbers(bytes) : sealing(new Numbers(bytes));
                OutputStream below = new BufferedOutputStream(Files.newOutputStream(file));
                OutputStream out = isOurs ? new GcmOutputStream(below, KEY) : below) {
            copy(in, out);
            if (isOurs) {
                ((GcmOutputStream) out).finish();
            }
        }
        long sealed = System.nanoTime();
        long opened;
        try (InputStream in = opening(AttachmentSource.of(file))) {
            opened = equal(in, new Numbers(bytes));
        }
        if (opened != bytes) {
            throw new IOException(opened + " bytes came back");
        }
        System.out.println("sealed " + (sealed - start) / 1_000_000 + " ms, opened "
                + (System.nanoTime() - sealed) / 1_000_000 + " ms, " + (NativeGcm.isThere() ? "native" : "java"));
    }

    /** No source of ours, so that the provider has to hold the attachment in memory. */
    private static void alone(long bytes, Path file) throws Exception {
        SealmarkProvider.installForAll();
        try (InputStream in = sealing(new Numbers(bytes)); OutputStream out = Files.newOutputStream(file)) {
            copy(in, out);
        }
        long start = System.nanoTime();
        try (InputStream in = opening(Files.newInputStream(file))) {
            System.out.print("opened " + equal(in, new Numbers(bytes)));
        }
        System.out.println(" alone in " + (System.nanoTime() - start) / 1_000_000 + " ms");
    }

    private static void copy(InputStream in, OutputStream out) throws IOException {
        byte[] buffer = new byte[8192];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            out.write(buffer, 0, read);
        }
    }

    private static long equal(InputStream a, InputStream b) throws IOException {
        byte[] left = new byte[8192];
        byte[] right = new byte[8192];
        long count = 0;
        for (int bytes = a.read(left); bytes >= 0; bytes = a.read(left)) {
            if (b.read(right, 0, bytes) != bytes || !ByteBuffer.wrap(left, 0, bytes).equals(ByteBuffer.wrap(right, 0, bytes))) {
                throw new IOException("other bytes came back, after " + count);
            }
            count += bytes;
        }
        return count;
    }

    /** All are open at once, and read in small steps. */
    private static void crowd(int threads, int bytes) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        CyclicBarrier open = new CyclicBarrier(threads);
        List<Future<?>> all = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            all.add(pool.submit(() -> {
                try (InputStream in = opening(AttachmentSource.spooled(sealing(new Numbers(bytes))));
                        InputStream expected = new Numbers(bytes)) {
                    if (in.read() != expected.read()) {
                        throw new IOException("another first byte");
                    }
                    open.await();
                    if (equal(in, expected) != bytes - 1) {
                        throw new IOException("too short");
                    }
                }
                return null;
            }));
        }
        for (Future<?> one : all) {
            one.get();
        }
        pool.shutdown();
        System.out.println("opened " + threads);
    }

    private static void many(int messages) throws Exception {
        byte[] plaintext = Payloads.random(1, 3000);
        byte[] sealed = Payloads.sealed(KEY, plaintext);
        byte[] forged = Payloads.flipped(sealed, 8000);
        one(sealed, forged, 0);
        long before = descriptors();
        for (int message = 0; message < messages; message++) {
            one(sealed, forged, message);
        }
        long after = descriptors();
        if (after > before) {
            throw new IOException(after - before + " descriptors more after " + messages + " messages");
        }
        System.out.println("opened " + messages);
    }

    private static void one(byte[] sealed, byte[] forged, int message) throws Exception {
        boolean isForged = message % 4 == 1;
        InputStream in = opening(AttachmentSource.spooled(new ByteArrayInputStream(isForged ? forged : sealed)));
        try {
            if (message % 4 == 2) {
                in.read();
                in.close();
            } else if (Payloads.all(in).length != 3000) {
                throw new IOException("too short");
            }
        } catch (IOException error) {
            if (!isForged) {
                throw error;
            }
        }
        // Not closed, because a reader who has come to the end or to an error often does not.
    }

    /** The system refuses files of the larger size. */
    private static void full(int messages) throws Exception {
        byte[] small = Payloads.sealed(KEY, Payloads.random(1, 50_000));
        byte[] large = Payloads.sealed(KEY, Payloads.random(1, 300_000));
        int opened = 0;
        int refused = 0;
        long before = 0;
        for (int message = 0; message < messages; message++) {
            try (InputStream in = opening(AttachmentSource.spooled(new ByteArrayInputStream(small)))) {
                opened += Payloads.all(in).length == 50_000 ? 1 : 0;
            }
            try {
                Payloads.all(opening(AttachmentSource.spooled(new ByteArrayInputStream(large))));
            } catch (IOException error) {
                refused++;
            }
            before = message == 0 ? descriptors() : before;
        }
        if (descriptors() > before) {
            throw new IOException(descriptors() - before + " descriptors more");
        }
        System.out.println("refused " + refused + ", opened " + opened);
    }

    private static void stall(int bytes) throws Exception {
        byte[] sealed = Payloads.sealed(KEY, Payloads.random(1, bytes));
        CountDownLatch never = new CountDownLatch(1);
        InputStream half = new ByteArrayInputStream(sealed, 0, bytes / 2);
        opening(AttachmentSource.spooled(new SequenceInputStream(half, new InputStream() {
            @Override
            public int read() throws IOException {
                System.out.println("waits");
                try {
                    never.await();
                } catch (InterruptedException error) {
                    throw new IOException(error);
                }
                return -1;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return read();
            }
        }))).read();
    }

    /** Zero where the system does not tell. */
    private static long descriptors() {
        String[] names = Paths.get("/proc/self/fd").toFile().list();
        return names == null ? 0 : names.length;
    }

    private static InputStream opening(InputStream source) throws Exception {
        return AttachmentUtils.setupAttachmentDecryptionStream(
                Messages.AES_128_GCM, Cipher.getInstance("AES/GCM/NoPadding"), KEY, source);
    }

    private static InputStream sealing(InputStream plaintext) throws Exception {
        Attachment attachment = new Attachment();
        attachment.setSourceStream(plaintext);
        return AttachmentUtils.setupAttachmentEncryptionStream(encryption(), false, attachment, new HashMap<>());
    }

    private static Cipher encryption() throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        byte[] iv = new byte[Gcm.IV];
        new SecureRandom().nextBytes(iv);
        cipher.init(Cipher.ENCRYPT_MODE, KEY, new GCMParameterSpec(128, iv));
        return cipher;
    }

    /** Bytes that differ from place to place. */
    private static final class Numbers extends InputStream {
        private final long length;
        private long at;

        Numbers(long length) {
            this.length = length;
        }

        private static byte byteAt(long place) {
            return (byte) (place ^ place >>> 8 ^ place >>> 17);
        }

        @Override
        public int read() {
            return at == length ? -1 : byteAt(at++) & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int wanted) {
            int bytes = (int) Math.min(wanted, length - at);
            for (int index = 0; index < bytes; index++) {
                into[offset + index] = byteAt(at + index);
            }
            at += bytes;
            return bytes == 0 && wanted > 0 ? -1 : bytes;
        }
    }
}
