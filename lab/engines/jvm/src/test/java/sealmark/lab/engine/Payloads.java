package sealmark.lab.engine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.DynamicTest;

/**
 * The engines that must do job {@code payload}, and the same work without their streams: the JDK's cipher in one call.
 */
final class Payloads {
    /** A JVM has one engine of sealmark-wss, and lab/tests/engines starts one for the other. */
    static final List<String> LIBRARIES = List.of("SunJCE", "BouncyCastle", "ACCP", "Conscrypt", "sealmark-wss");
    static final List<String> SHAPES = List.of("one-shot", "update", "stream", "wss4j");
    static final List<String> ALGORITHMS = List.of("AES-128-GCM", "AES-256-GCM");
    static final int OVERHEAD = 28;
    private static final List<String> LISTED = List.of("BC", "AmazonCorrettoCryptoProvider", "Conscrypt", "Sealmark");
    private static final Recipe RECIPE = new Recipe(7);
    private static final byte[] VECTOR = Bytes.text("twelve bytes");

    private Payloads() {}

    static List<Way> ways(String algorithm) {
        List<Way> ways = new ArrayList<>();
        LIBRARIES.forEach(library -> shapes(library).forEach(shape -> ways.add(new Way(library, algorithm, shape))));
        return ways;
    }

    static List<String> shapes(String library) {
        return library.equals("sealmark-wss") ? List.of("stream", "wss4j") : SHAPES;
    }

    /** One test for each library, algorithm and shape. */
    static List<DynamicTest> each(WayTest test) {
        List<DynamicTest> tests = new ArrayList<>();
        ALGORITHMS.forEach(algorithm -> ways(algorithm).forEach(way ->
                tests.add(DynamicTest.dynamicTest(way.toString(), () -> test.run(way)))));
        return tests;
    }

    interface WayTest {
        void run(Way way) throws Exception;
    }

    /** WSS4J takes the first provider of the JVM's list, which is one list for all tests. */
    static void unlistProviders() {
        LISTED.forEach(Security::removeProvider);
    }

    static byte[] seal(String algorithm, byte[] plain) throws Exception {
        byte[] sealed = Arrays.copyOf(VECTOR, VECTOR.length + plain.length + 16);
        cipher(algorithm, Cipher.ENCRYPT_MODE, VECTOR).doFinal(plain, 0, plain.length, sealed, VECTOR.length);
        return sealed;
    }

    static byte[] open(String algorithm, byte[] sealed) throws Exception {
        return cipher(algorithm, Cipher.DECRYPT_MODE, Arrays.copyOf(sealed, 12)).doFinal(sealed, 12, sealed.length - 12);
    }

    private static Cipher cipher(String algorithm, int mode, byte[] vector) throws Exception {
        byte[] key = Recipe.bytes(8, algorithm.equals("AES-128-GCM") ? 16 : 32);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", "SunJCE");
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, vector));
        return cipher;
    }

    /** A library, an algorithm and a shape. */
    static final class Way {
        final String library;
        final String algorithm;
        final String shape;

        Way(String library, String algorithm, String shape) {
            this.library = library;
            this.algorithm = algorithm;
            this.shape = shape;
        }

        Payload prepare() throws Exception {
            unlistProviders();
            return Support.library(library).prepare(new PayloadJob(algorithm, shape, RECIPE));
        }

        byte[] seal(Path scratch, byte[] plain) throws Exception {
            Path output = free(scratch, "sealed");
            prepare().seal(Files.write(scratch.resolve("plain"), plain), output);
            return Files.readAllBytes(output);
        }

        byte[] open(Path scratch, byte[] sealed) throws Exception {
            Path output = free(scratch, "opened");
            prepare().open(Files.write(scratch.resolve("to open"), sealed), output);
            return Files.readAllBytes(output);
        }

        private static Path free(Path scratch, String name) throws Exception {
            Files.deleteIfExists(scratch.resolve(name));
            return scratch.resolve(name);
        }

        @Override
        public String toString() {
            return library + " " + shape + " " + algorithm;
        }
    }
}
