package example;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Locale;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import org.apache.wss4j.common.ext.WSSecurityException;
import org.apache.wss4j.common.util.AttachmentUtils;
import org.apache.xml.security.Init;
import sealmark.wss.AttachmentSource;
import sealmark.wss.GcmInputStream;
import sealmark.wss.GcmOutputStream;
import sealmark.wss.SealmarkProvider;

/** Opens an attachment of 4 MB, and one of 100 MB, with the streams that WSS4J lays over attachments. */
public final class Main {
    private static final String AES_128_GCM = "http://www.w3.org/2009/xmlenc11#aes128-gcm";
    private static final int MB = 1_000_000;

    private Main() {}

    /**
     * Prints the time that each takes.
     *
     * @param arguments none
     * @throws Exception if a file cannot be written
     */
    public static void main(String[] arguments) throws Exception {
        Init.init();
        System.out.println(
                "JDK " + System.getProperty("java.version") + ", heap " + Runtime.getRuntime().maxMemory() / MB + " MB");
        KeyGenerator generator = KeyGenerator.getInstance("AES");
        generator.init(128);
        SecretKey key = generator.generateKey();
        Path small = sealed(key, 4);
        Path large = sealed(key, 100);

        report("4 MB, WSS4J with the JDK's cipher", () -> opened(key, new BufferedInputStream(Files.newInputStream(small))));
        SealmarkProvider.install();
        report("4 MB, WSS4J with Sealmark", () -> opened(key, AttachmentSource.of(small)));
        report("100 MB, WSS4J with Sealmark", () -> opened(key, AttachmentSource.of(large)));
        report("100 MB, GcmInputStream", () -> opened(key, large));

        Files.write(small, flipped(Files.readAllBytes(small)));
        report("4 MB with a flipped bit", () -> opened(key, AttachmentSource.of(small)));
        Files.delete(small);
        Files.delete(large);
    }

    private static Path sealed(SecretKey key, int megabytes) throws IOException, GeneralSecurityException {
        Path file = Files.createTempFile("attachment", ".sealed");
        byte[] plaintext = new byte[MB];
        try (GcmOutputStream out = new GcmOutputStream(Files.newOutputStream(file), key)) {
            for (int written = 0; written < megabytes; written++) {
                out.write(plaintext);
            }
            out.finish();
        }
        return file;
    }

    /** WSS4J does this with each encrypted attachment of a message. */
    private static long opened(SecretKey key, InputStream attachment)
            throws IOException, GeneralSecurityException, WSSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        try (InputStream in = AttachmentUtils.setupAttachmentDecryptionStream(AES_128_GCM, cipher, key, attachment)) {
            return count(in);
        }
    }

    private static long opened(SecretKey key, Path file) throws IOException, GeneralSecurityException {
        try (InputStream in = GcmInputStream.open(file, key)) {
            return count(in);
        }
    }

    private static long count(InputStream in) throws IOException {
        byte[] buffer = new byte[8192];
        long count = 0;
        try {
            for (int bytes = in.read(buffer); bytes >= 0; bytes = in.read(buffer)) {
                count += bytes;
            }
            return count;
        } catch (IOException error) {
            throw new IOException("refused after " + count + " bytes: " + error.getCause(), error);
        }
    }

    private static byte[] flipped(byte[] payload) {
        payload[payload.length / 2] ^= 1;
        return payload;
    }

    /** Opens an attachment and gives the number of its bytes. */
    private interface Opening {
        long open() throws Exception;
    }

    private static void report(String name, Opening opening) throws Exception {
        long start = System.nanoTime();
        String result;
        try {
            result = opening.open() / MB + " MB opened";
        } catch (IOException error) {
            result = error.getMessage();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(Locale.ROOT, "%-36s %6.2f s  %s%n", name, seconds, result);
    }
}
