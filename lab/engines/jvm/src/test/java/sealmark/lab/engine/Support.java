package sealmark.lab.engine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The expected support of each library. The table is written by hand, so that lost support fails a test. */
final class Support {
    private static final String JCE = "DES DESede AES Blowfish RC2 RC4 AES-128-GCM AES-256-GCM ChaCha20-Poly1305";
    private static final String[][] CIPHERS = {
        {"SunJCE", JCE},
        {"BouncyCastle", JCE + " AES-256-GCM-SIV"},
        {"ACCP", "AES-128-GCM AES-256-GCM"},
        {"Conscrypt", "AES RC4 AES-128-GCM AES-256-GCM AES-256-GCM-SIV ChaCha20-Poly1305"},
        {"native-jni", "RC4"},
    };
    private static final String[][] CODECS = {
        {"java.util.Base64", "base64 base64url base64-mime"},
        {"commons-codec", "base64 base64url base64-mime"},
        {"BouncyCastle", "base64"},
        {"native-jni", "base64"},
        {"sun.misc-stand-in", "base64-mime"},
    };
    static final List<String> WITHOUT_TUNED = List.of("native-jni", "sun.misc-stand-in");
    static final Map<String, List<String>> ALGORITHMS = Map.of(
            "cipher", List.of((JCE + " AES-256-GCM-SIV").split(" ")),
            "codec", List.of("base64", "base64url", "base64-mime"));

    private static final Map<String, Library> LOADED = new HashMap<>();

    private Support() {}

    /** Every library and shape that does an algorithm; the native library only where it has been built. */
    static List<Pair> pairs(String job, String algorithm) {
        List<Pair> pairs = new ArrayList<>();
        for (String[] row : job.equals("cipher") ? CIPHERS : CODECS) {
            boolean missing = row[0].equals("native-jni") && !nativeIsBuilt();
            if (!missing && List.of(row[1].split(" ")).contains(algorithm)) {
                pairs.add(new Pair(row[0], false));
                if (!WITHOUT_TUNED.contains(row[0])) {
                    pairs.add(new Pair(row[0], true));
                }
            }
        }
        return pairs;
    }

    static boolean nativeIsBuilt() {
        return Files.isRegularFile(Path.of(System.getProperty("sealmark.lab.jni", "")));
    }

    /** A JVM loads a native library once. */
    static synchronized Library library(String name) throws Exception {
        if (!LOADED.containsKey(name)) {
            LOADED.put(name, Libraries.load(name));
        }
        return LOADED.get(name);
    }

    static byte[] once(Operation operation, byte[] input, long number) throws Exception {
        operation.begin(input, number);
        operation.once(number);
        operation.end();
        return operation.result().clone();
    }

    /** A library and a shape. */
    static final class Pair {
        final String name;
        final boolean tuned;

        Pair(String name, boolean tuned) {
            this.name = name;
            this.tuned = tuned;
        }

        Work prepare(String job, String algorithm, Recipe recipe) throws Exception {
            return library(name).prepare(new Job(job, algorithm, tuned, 49, recipe));
        }

        @Override
        public String toString() {
            return name + (tuned ? " tuned" : " as written");
        }
    }
}
