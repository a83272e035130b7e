package sealmark.lab.engine;

import java.nio.charset.StandardCharsets;
import java.security.Provider;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;

/** Job {@code record} by a provider of the Java Cryptography Architecture and {@link java.util.Base64}. */
final class RecordCiphers {
    static final int NONCE = 12;
    static final int TAG = 16;

    private RecordCiphers() {}

    static RecordWay prepare(RecordJob job, Provider provider, String version) throws Trouble {
        Algorithm algorithm = job.algorithm.equals("RC4-base64") ? Algorithm.RC4 : Algorithm.AES_256_GCM;
        Transformation transformation = Transformation.of(algorithm, provider);
        CipherMaker maker = new CipherMaker(transformation, provider, job.recipe);
        String code = transformation + ", " + provider.getName() + " " + version + ", java.util.Base64";
        switch (job.algorithm) {
            case "AES-256-GCM-base64":
                return RecordWay.ofStrings(true, code, number -> new TunedString(new RecordTuned(maker, number)));
            case "AES-256-GCM-base64-bytes":
                return RecordWay.ofBytes(true, code, number -> new RecordTuned(maker, number));
            case "AES-256-GCM-base64-as-written":
                SecureRandom random = new SecureRandom();
                return RecordWay.ofStrings(true, code, number -> new AsWritten(maker, random));
            case "RC4-base64":
                return RecordWay.ofStrings(false, code, number -> new Rc4(maker));
            default:
                throw Trouble.unsupported(provider.getName() + " makes no \"" + job.algorithm + "\"");
        }
    }

    /** The length of a decoded text without its nonce. A short text is refused here: ciphers report it differently. */
    static int sealedBytes(int decoded) throws Trouble {
        if (decoded < NONCE + TAG) {
            throw Trouble.refused("the text is shorter than a nonce and a tag");
        }
        return decoded - NONCE;
    }

    /** Reuses everything but the string that goes in and the one that comes out. */
    private static final class TunedString implements StringSealer {
        private final RecordTuned tuned;
        private byte[] text = {};
        private byte[] value = {};

        TunedString(RecordTuned tuned) {
            this.tuned = tuned;
        }

        @Override
        public String seal(String string) throws Exception {
            byte[] bytes = string.getBytes(StandardCharsets.UTF_8);
            int longest = tuned.longest(bytes.length);
            if (text.length < longest) {
                text = new byte[longest];
            }
            return new String(text, 0, tuned.seal(bytes, text), StandardCharsets.ISO_8859_1);
        }

        @Override
        public String open(String string) throws Exception {
            byte[] bytes = string.getBytes(StandardCharsets.ISO_8859_1);
            if (value.length < bytes.length) {
                value = new byte[bytes.length];
            }
            return new String(value, 0, tuned.open(bytes, value), StandardCharsets.UTF_8);
        }

        @Override
        public void look(byte[] any) throws Trouble {
            tuned.look(any);
        }
    }

    /** Works as most code does: gets an instance, a key object and a nonce for one value, and drops all of them. */
    private static final class AsWritten implements StringSealer {
        private final CipherMaker maker;
        private final SecureRandom random;

        AsWritten(CipherMaker maker, SecureRandom random) {
            this.maker = maker;
            this.random = random;
        }

        @Override
        public String seal(String value) throws Exception {
            byte[] nonce = new byte[NONCE];
            random.nextBytes(nonce);
            Cipher cipher = maker.instance();
            cipher.init(Cipher.ENCRYPT_MODE, maker.key(), Algorithm.AES_256_GCM.parameters(nonce));
            byte[] sealed = cipher.doFinal(value.getBytes(StandardCharsets.UTF_8));
            byte[] both = Arrays.copyOf(nonce, NONCE + sealed.length);
            System.arraycopy(sealed, 0, both, NONCE, sealed.length);
            return Base64.getEncoder().encodeToString(both);
        }

        @Override
        public String open(String text) throws Exception {
            byte[] both = Base64.getDecoder().decode(text);
            int length = sealedBytes(both.length);
            Cipher cipher = maker.instance();
            byte[] nonce = Arrays.copyOf(both, NONCE);
            cipher.init(Cipher.DECRYPT_MODE, maker.key(), Algorithm.AES_256_GCM.parameters(nonce));
            return new String(cipher.doFinal(both, NONCE, length), StandardCharsets.UTF_8);
        }

        @Override
        public void look(byte[] text) throws Trouble {
            Base64Text.mustBe(text, "+/");
        }
    }

    /** Works as published: the key stream starts anew for each value. */
    private static final class Rc4 implements StringSealer {
        private final CipherMaker maker;

        Rc4(CipherMaker maker) {
            this.maker = maker;
        }

        @Override
        public String seal(String value) throws Exception {
            Cipher cipher = maker.instance();
            cipher.init(Cipher.ENCRYPT_MODE, maker.key());
            return Base64.getEncoder().encodeToString(cipher.doFinal(value.getBytes(StandardCharsets.UTF_8)));
        }

        @Override
        public String open(String text) throws Exception {
            Cipher cipher = maker.instance();
            cipher.init(Cipher.DECRYPT_MODE, maker.key());
            return new String(cipher.doFinal(Base64.getDecoder().decode(text)), StandardCharsets.UTF_8);
        }

        @Override
        public void look(byte[] text) throws Trouble {
            Base64Text.mustBe(text, "+/");
        }
    }
}
