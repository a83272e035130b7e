import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import javax.crypto.Cipher;
import javax.crypto.CipherInputStream;
import javax.crypto.CipherOutputStream;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Opens AES-128-GCM of n and of 2n bytes in four ways, and prints what each way allocated: twice as much for twice the input if
 * it grows in proportion, four times as much if it grows with the square.
 *
 * <p>Arguments: bytes=1048576 provider=SunJCE
 */
final class StreamGrowth {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private interface Way {
        void open(Cipher cipher, byte[] sealed, Sink out) throws Exception;
    }

    /** Counts, and keeps nothing, so that all that is allocated is the library's. */
    private static final class Sink extends OutputStream {
        private long bytes;

        @Override
        public void write(int value) {
            bytes++;
        }

        @Override
        public void write(byte[] values, int from, int length) {
            bytes += length;
        }
    }

    public static void main(String[] arguments) throws Exception {
        int bytes = Common.number(arguments, "bytes", 1 << 20);
        String provider = Common.provider(arguments);
        measure("CipherInputStream", provider, bytes, StreamGrowth::throughInputStream);
        measure("CipherOutputStream", provider, bytes, StreamGrowth::throughOutputStream);
        measure("update of 8 KiB", provider, bytes, StreamGrowth::byUpdates);
        measure("one doFinal", provider, bytes, (cipher, sealed, out) -> out.write(cipher.doFinal(sealed)));
    }

    private static void measure(String name, String provider, int bytes, Way way) throws Exception {
        // Classes are loaded, and what they allocate is over.
        allocated(provider, 65_536, way);
        long once = allocated(provider, bytes, way);
        long twice = allocated(provider, 2 * bytes, way);
        System.out.printf("%-18s %9.1f MB, for twice the input %9.1f MB: %.2f times%n",
                name, once / 1e6, twice / 1e6, (double) twice / once);
    }

    private static long allocated(String provider, int bytes, Way way) throws Exception {
        byte[] sealed = cipher(provider, Cipher.ENCRYPT_MODE).doFinal(new byte[bytes]);
        Cipher cipher = cipher(provider, Cipher.DECRYPT_MODE);
        Sink out = new Sink();
        long thread = Thread.currentThread().getId();
        long before = THREADS.getThreadAllocatedBytes(thread);
        way.open(cipher, sealed, out);
        long allocated = THREADS.getThreadAllocatedBytes(thread) - before;
        if (out.bytes != bytes) {
            throw new IllegalStateException(bytes + " bytes were sealed and " + out.bytes + " opened");
        }
        return allocated;
    }

    private static Cipher cipher(String provider, int mode) throws Exception {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", provider);
        cipher.init(mode, new SecretKeySpec(new byte[16], "AES"), new GCMParameterSpec(128, new byte[12]));
        return cipher;
    }

    private static void throughInputStream(Cipher cipher, byte[] sealed, Sink out) throws Exception {
        byte[] buffer = new byte[8_192];
        try (InputStream in = new CipherInputStream(new ByteArrayInputStream(sealed), cipher)) {
            for (int read = in.read(buffer); read != -1; read = in.read(buffer)) {
                out.write(buffer, 0, read);
            }
        }
    }

    private static void throughOutputStream(Cipher cipher, byte[] sealed, Sink out) throws Exception {
        try (OutputStream opening = new CipherOutputStream(out, cipher)) {
            for (int at = 0; at < sealed.length; at += 8_192) {
                opening.write(sealed, at, Math.min(8_192, sealed.length - at));
            }
        }
    }

    private static void byUpdates(Cipher cipher, byte[] sealed, Sink out) throws Exception {
        for (int at = 0; at < sealed.length; at += 8_192) {
            byte[] opened = cipher.update(sealed, at, Math.min(8_192, sealed.length - at));
            if (opened != null) {
                out.write(opened);
            }
        }
        out.write(cipher.doFinal());
    }
}
