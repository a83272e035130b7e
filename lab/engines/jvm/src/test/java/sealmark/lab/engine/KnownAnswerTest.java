package sealmark.lab.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every library that claims an algorithm gives the answers that its standard prints. */
class KnownAnswerTest {
    private static final String GCM_KEY = "feffe9928665731c6d6a8f9467308308";
    private static final String GCM_NONCE = "cafebabefacedbaddecaf888";
    private static final String GCM_PLAIN =
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255";

    /** Algorithm, key, nonce, plain, and how the sealed bytes begin (a block of padding or a tag may follow). */
    private static final String[][] CIPHERS = {
        // A worked example in many a textbook.
        {"DES", "133457799bbcdff1", "", "0123456789abcdef", "85e813540f0ab405"},
        // NIST SP 800-67, B.1
        {"DESede", "0123456789abcdef23456789abcdef01456789abcdef0123", "",
            "5468652071756663 6b2062726f776e20 666f78206a756d70", "a826fd8ce53b855f cce21c8112256fe6 68d5c05dd9b6b900"},
        // FIPS 197, C.1
        {"AES", "000102030405060708090a0b0c0d0e0f", "", "00112233445566778899aabbccddeeff",
            "69c4e0d86a7b0430d8cdb78070b4c55a"},
        // Schneier's vectors, set_key
        {"Blowfish", "f0e1d2c3b4a5968778695a4b3c2d1e0f", "", "fedcba9876543210", "93142887ee3be15c"},
        // RFC 2268, section 5
        {"RC2", "88bca90e90875a7f0f79c384627bafb2", "", "0000000000000000", "2269552ab0f85ca6"},
        // RFC 6229, section 2
        {"RC4", "0102030405060708090a0b0c0d0e0f10", "", "00000000000000000000000000000000",
            "9ac7cc9a609d1ef7b2932899cde41b97"},
        // The GCM specification (McGrew, Viega), test cases 3 and 15
        {"AES-128-GCM", GCM_KEY, GCM_NONCE, GCM_PLAIN,
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
                + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
                + "4d5c2af327cd64a62cf35abd2ba6fab4"},
        {"AES-256-GCM", GCM_KEY + GCM_KEY, GCM_NONCE, GCM_PLAIN,
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad"
                + "b094dac5d93471bdec1a502270e3cc6c"},
        // RFC 8452, C.2
        {"AES-256-GCM-SIV", "01" + "00".repeat(31), "03" + "00".repeat(11), "0100000000000000",
            "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28"},
        // RFC 8439, 2.8.2, whose tag covers associated data too: the ciphertext alone
        {"ChaCha20-Poly1305", "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
            "070000004041424344454647",
            "4c616469657320616e642047656e746c656d656e206f662074686520636c6173",
            "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"},
    };

    /** Algorithm, plain text, encoded text. */
    private static final String[][] CODECS = {
        // RFC 4648, section 10
        {"base64", "", ""}, {"base64", "f", "Zg=="}, {"base64", "fo", "Zm8="}, {"base64", "foo", "Zm9v"},
        {"base64", "foob", "Zm9vYg=="}, {"base64", "fooba", "Zm9vYmE="}, {"base64", "foobar", "Zm9vYmFy"},
        {"base64", ">>>???", "Pj4+Pz8/"},
        {"base64url", "", ""}, {"base64url", "f", "Zg"}, {"base64url", ">>>???", "Pj4-Pz8_"},
        // RFC 2045, 6.8: lines of 76
        {"base64-mime", "", ""}, {"base64-mime", "@".repeat(57), "QEBA".repeat(19)},
        {"base64-mime", "@".repeat(58), "QEBA".repeat(19) + "\r\nQA=="},
    };

    @TestFactory
    List<DynamicTest> ciphers() {
        List<DynamicTest> tests = new ArrayList<>();
        for (String[] known : CIPHERS) {
            Recipe recipe = new Fixed(Bytes.hex(known[1]), Bytes.hex(known[2]));
            for (Support.Pair pair : Support.pairs("cipher", known[0])) {
                tests.add(DynamicTest.dynamicTest(pair + " " + known[0],
                        () -> answers(pair, known[0], recipe, Bytes.hex(known[3]), Bytes.hex(known[4]))));
            }
        }
        assertTrue(tests.size() > 40, () -> "only " + tests.size() + " cases found");
        return tests;
    }

    private static void answers(Support.Pair pair, String algorithm, Recipe recipe, byte[] plain, byte[] start)
            throws Exception {
        Work work = pair.prepare("cipher", algorithm, recipe);
        byte[] sealed = Support.once(work.forward, plain, 1);
        assertTrue(Bytes.hex(sealed).startsWith(Bytes.hex(start)), () -> Bytes.hex(sealed));
        assertArrayEquals(plain, Support.once(work.back, sealed, 1));
    }

    @TestFactory
    List<DynamicTest> codecs() {
        List<DynamicTest> tests = new ArrayList<>();
        for (String[] known : CODECS) {
            for (Support.Pair pair : Support.pairs("codec", known[0])) {
                tests.add(DynamicTest.dynamicTest(pair + " " + known[0] + " " + known[1], () -> {
                    Work work = pair.prepare("codec", known[0], new Recipe(0));
                    byte[] encoded = Support.once(work.forward, Bytes.text(known[1]), 1);
                    assertEquals(known[2], new String(encoded, "US-ASCII"));
                    assertArrayEquals(Bytes.text(known[1]), Support.once(work.back, encoded, 1));
                }));
            }
        }
        assertTrue(tests.size() > 50, () -> "only " + tests.size() + " cases found");
        return tests;
    }

    /** The key and nonce of a standard in the place of a seed's. */
    private static final class Fixed extends Recipe {
        private final byte[] key;
        private final byte[] nonce;

        Fixed(byte[] key, byte[] nonce) {
            super(0);
            this.key = key;
            this.nonce = nonce;
        }

        @Override
        byte[] key(int length) {
            assertEquals(key.length, length);
            return key;
        }

        @Override
        byte[] nonce(long number) {
            return nonce.clone();
        }
    }
}
