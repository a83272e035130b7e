package sealmark.wss;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.function.Executable;

/** Payloads that the JDK has encrypted. */
final class Payloads {
    /** Around blocks, groups of four blocks, pieces. */
    static final int[] LENGTHS = {
        0, 1, 15, 16, 17, 63, 64, 65, 79, 1000, Gcm.PIECE - 1, Gcm.PIECE, Gcm.PIECE + 1, 3 * Gcm.PIECE + 77
    };

    private Payloads() {}

    static SecretKey key(int bytes) {
        return new SecretKeySpec(random(bytes, bytes), "AES");
    }

    static byte[] random(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    static byte[] sealed(SecretKey key, byte[] plaintext) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", "SunJCE");
        byte[] iv = random(plaintext.length + 7, Gcm.IV);
        cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, iv));
        byte[] text = cipher.doFinal(plaintext);
        byte[] sealed = Arrays.copyOf(iv, iv.length + text.length);
        System.arraycopy(text, 0, sealed, iv.length, text.length);
        return sealed;
    }

    static byte[] opened(SecretKey key, byte[] sealed) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", "SunJCE");
        cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, sealed, 0, Gcm.IV));
        return cipher.doFinal(sealed, Gcm.IV, sealed.length - Gcm.IV);
    }

    static byte[] flipped(byte[] bytes, int bit) {
        byte[] other = bytes.clone();
        other[bit / 8] ^= (byte) (1 << bit % 8);
        return other;
    }

    static byte[] all(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        copy(in, out);
        return out.toByteArray();
    }

    static void copy(InputStream in, ByteArrayOutputStream out) throws IOException {
        byte[] buffer = new byte[5000];
        for (int bytes = in.read(buffer); bytes >= 0; bytes = in.read(buffer)) {
            out.write(buffer, 0, bytes);
        }
    }

    /** The contents of a directory's files that this process has open and that have no name any more; Linux shows them. */
    static List<byte[]> unnamed(Path directory) throws IOException {
        List<byte[]> contents = new ArrayList<>();
        String start = directory.toRealPath() + "/";
        for (File descriptor : new File("/proc/self/fd").listFiles()) {
            Path link = descriptor.toPath();
            String target = Files.isSymbolicLink(link) ? Files.readSymbolicLink(link).toString() : "";
            if (target.startsWith(start) && target.endsWith(" (deleted)")) {
                contents.add(Files.readAllBytes(link));
            }
        }
        return contents;
    }

    /** The exception of {@link javax.crypto.CipherInputStream} for a tag that does not fit. */
    static void assertNotAuthentic(Executable read) {
        assertInstanceOf(AEADBadTagException.class, assertThrows(IOException.class, read).getCause());
    }
}
