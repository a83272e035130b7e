package sealmark.lab.engine;

import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** Native code over JNI, as in the published figures: base64 and RC4 in a library of the lab's own. */
final class NativeLibrary implements Library {
    private static final String PROPERTY = "sealmark.lab.jni";
    private static final String VARIABLE = "SEALMARK_LAB_JNI";

    NativeLibrary() throws Exception {
        Path file = file();
        if (!Files.isRegularFile(file)) {
            throw Trouble.unsupported("no native library at \"" + file + "\"; hint: lab/scripts/java.sh");
        }
        System.load(file.toAbsolutePath().toString());
    }

    /** Where it was said to be, else where lab/scripts/java.sh puts it, beside the libraries in Java. */
    private static Path file() throws URISyntaxException {
        String named = System.getProperty(PROPERTY, System.getenv(VARIABLE));
        if (named != null) {
            return Paths.get(named);
        }
        Path jar = Paths.get(NativeLibrary.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        return jar.resolveSibling("lib").resolve(System.mapLibraryName("sealmark_lab_jni"));
    }

    @Override
    public String version() {
        return NativeBytes.version();
    }

    @Override
    public Work prepare(Job job) throws Trouble {
        if (job.tuned) {
            throw Trouble.unsupported("the native functions take and give byte arrays and keep nothing to reuse");
        }
        String code = version() + " over JNI";
        if (job.kind.equals("codec") && job.algorithm.equals("base64")) {
            return Codec.work(code, new Encode(), new Decode());
        }
        if (job.kind.equals("cipher") && job.algorithm.equals("RC4")) {
            byte[] key = job.recipe.key(Algorithm.RC4.keyBytes);
            return new Work(false, code, new Rc4(key), new Rc4(key));
        }
        throw Trouble.unsupported("the native library does base64 and RC4 alone");
    }

    @Override
    public RecordWay prepare(RecordJob job) throws Trouble {
        if (!job.algorithm.equals("RC4-base64")) {
            throw Trouble.unsupported("the native library makes no \"" + job.algorithm + "\"");
        }
        byte[] key = job.recipe.key(Algorithm.RC4.keyBytes);
        return RecordWay.ofStrings(false, version() + " over JNI", number -> new Record(key));
    }

    /** Seals as the published measurement did: one call for the cipher, one for the coder. */
    private static final class Record implements StringSealer {
        private final byte[] key;

        Record(byte[] key) {
            this.key = key;
        }

        @Override
        public String seal(String value) {
            byte[] sealed = NativeBytes.rc4(key, value.getBytes(StandardCharsets.UTF_8));
            return new String(NativeBytes.encode(sealed), StandardCharsets.ISO_8859_1);
        }

        @Override
        public String open(String text) {
            byte[] sealed = NativeBytes.decode(text.getBytes(StandardCharsets.ISO_8859_1));
            return new String(NativeBytes.rc4(key, sealed), StandardCharsets.UTF_8);
        }
    }

    private static final class Encode extends Operation {
        @Override
        void once(long number) {
            keep(NativeBytes.encode(input));
        }
    }

    private static final class Decode extends Operation {
        @Override
        void once(long number) {
            keep(NativeBytes.decode(input));
        }
    }

    private static final class Rc4 extends Operation {
        private final byte[] key;

        Rc4(byte[] key) {
            this.key = key;
        }

        @Override
        void once(long number) {
            keep(NativeBytes.rc4(key, input));
        }
    }
}
