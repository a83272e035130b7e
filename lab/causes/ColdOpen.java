import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import javax.crypto.Cipher;
import javax.crypto.CipherInputStream;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Opens one AES-128-GCM payload through CipherInputStream, as WSS4J does, as the first thing that a JVM does, and then again.
 * Another JVM has sealed it, because sealing here would warm up the code that opens. Times are CPU time of the thread.
 *
 * <p>Arguments: bytes=10485760 provider=SunJCE (or BC) again=4
 */
final class ColdOpen {
    public static void main(String[] arguments) throws Exception {
        int bytes = Common.number(arguments, "bytes", 10 << 20);
        String sealInto = Common.text(arguments, "seal-into", null);
        if (sealInto != null) {
            Files.write(Paths.get(sealInto), cipher("SunJCE", Cipher.ENCRYPT_MODE).doFinal(new byte[bytes]));
            return;
        }
        String provider = Common.provider(arguments);
        byte[] sealed = sealedByAnotherJvm(bytes);
        StringBuilder times = new StringBuilder();
        for (int again = Common.number(arguments, "again", 4); again >= 0; again--) {
            long start = Common.nanos();
            long opened = open(cipher(provider, Cipher.DECRYPT_MODE), sealed);
            times.append(String.format(" %.0f", (Common.nanos() - start) / 1e6));
            if (opened != bytes) {
                throw new IllegalStateException(bytes + " bytes were sealed and " + opened + " opened");
            }
        }
        System.out.printf("%s, %d bytes:%s ms of CPU%n", provider, bytes, times);
    }

    private static long open(Cipher cipher, byte[] sealed) throws Exception {
        byte[] buffer = new byte[8_192];
        long bytes = 0;
        try (InputStream in = new CipherInputStream(new ByteArrayInputStream(sealed), cipher)) {
            for (int read = in.read(buffer); read != -1; read = in.read(buffer)) {
                bytes += read;
            }
        }
        return bytes;
    }

    private static byte[] sealedByAnotherJvm(int bytes) throws Exception {
        Path file = Files.createTempFile("cause", ".sealed");
        try {
            String java = Paths.get(System.getProperty("java.home"), "bin", "java").toString();
            Process other = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "ColdOpen", "bytes=" + bytes,
                    "seal-into=" + file).inheritIO().start();
            if (other.waitFor() != 0) {
                throw new IllegalStateException("nothing was sealed");
            }
            return Files.readAllBytes(file);
        } finally {
            Files.delete(file);
        }
    }

    private static Cipher cipher(String provider, int mode) throws Exception {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", provider);
        cipher.init(mode, new SecretKeySpec(new byte[16], "AES"), new GCMParameterSpec(128, new byte[12]));
        return cipher;
    }
}
