package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Security;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.reader.Identity;
import sealmark.log.reader.Secrets;

class KemTest {
    private static final NistCurve P256 = NistCurve.P256;
    private static final int SEED = 64;
    private static final byte[] SESSION = Identities.filled(32, 7);

    @ParameterizedTest
    @EnumSource(Kem.class)
    void whatIsSealedOpensAndNothingElse(Kem kem) throws Exception {
        sealAndOpen(kem);
    }

    /** Providers accept different keys, and refuse others in different ways. */
    @ParameterizedTest
    @EnumSource(Kem.class)
    void anotherProviderInFrontDoesAsWell(Kem kem) throws Exception {
        Security.insertProviderAt(new BouncyCastleProvider(), 1);
        try {
            sealAndOpen(kem);
            assertFalse(new Curve25519().isElement(new byte[32]));
        } finally {
            Security.removeProvider("BC");
        }
    }

    /** ML-KEM is looked for once, and programs change their providers at any time. */
    @Test
    void aProviderThatIsRemovedLaterStillSeals() {
        byte[] key = Secrets.publicOf(alone(MlKem.ML_KEM_768), Identities.filled(SEED, 3));
        Security.insertProviderAt(new BouncyCastleProvider(), 1);
        PostQuantum found;
        try {
            found = JdkMlKem.find().orElseGet(BouncyCastle::new);
        } finally {
            Security.removeProvider("BC");
        }
        try (Encapsulated shared = found.encapsulate(MlKem.ML_KEM_768, key)) {
            assertEquals(32, shared.secret().length);
        }
    }

    private static void sealAndOpen(Kem kem) throws Exception {
        try (Identity identity = Identities.of(kem); Identity other = Identities.of(kem)) {
            byte[] sealed = Hpke.seal(kem, identity.recipient().bytes(), kem.info(), SESSION);
            byte[] enc = Arrays.copyOf(sealed, kem.encLength());
            byte[] text = Arrays.copyOfRange(sealed, enc.length, sealed.length);
            assertEquals(Header.WRAPPED, text.length);
            assertTrue(Secrets.isEnc(kem, enc));
            byte[] secret = identity.secretBytes();
            assertArrayEquals(SESSION, Secrets.open(kem, secret, enc, kem.info(), text).orElseThrow());
            assertTrue(Secrets.open(kem, other.secretBytes(), enc, kem.info(), text).isEmpty());
            assertTrue(Secrets.open(kem, secret, enc, "sealmark/1 file x".getBytes(US_ASCII), text).isEmpty());
            byte[] again = Hpke.seal(kem, identity.recipient().bytes(), kem.info(), SESSION);
            assertFalse(Arrays.equals(sealed, again));
        }
    }

    /** The vectors of the X-Wing draft. */
    @Test
    void xWingAgreesWithItsDraft() throws IOException {
        String text = Files.readString(
                Path.of(System.getProperty("sealmark.root"), "spec/vectors/xwing/test-vectors.json"));
        List<byte[]> secrets = values(text, "sk");
        assertEquals(3, secrets.size());
        for (int i = 0; i < secrets.size(); i++) {
            assertArrayEquals(values(text, "pk").get(i), Secrets.publicOf(Kem.MLKEM768X25519, secrets.get(i)));
            byte[] shared = Secrets.decapsulate(Kem.MLKEM768X25519, secrets.get(i), values(text, "ct").get(i));
            assertArrayEquals(values(text, "ss").get(i), shared);
        }
    }

    private static List<byte[]> values(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\": \"([0-9a-f]+)\"").matcher(json);
        List<byte[]> values = new ArrayList<>();
        while (matcher.find()) {
            values.add(HexFormat.of().parseHex(matcher.group(1)));
        }
        return values;
    }

    @ParameterizedTest
    @EnumSource(MlKem.class)
    void theJdkHasMlKemFrom24On(MlKem set) {
        assertEquals(Runtime.version().feature() >= 24, JdkMlKem.find().isPresent());
        byte[] seed = Identities.filled(SEED, 3);
        byte[] key = Secrets.publicOf(alone(set), seed);
        List<PostQuantum> all = new ArrayList<>(List.of(new BouncyCastle()));
        JdkMlKem.find().ifPresent(all::add);
        for (PostQuantum sealing : all) {
            try (Encapsulated shared = sealing.encapsulate(set, key)) {
                assertEquals(32, shared.secret().length);
                assertArrayEquals(shared.secret(), Secrets.decapsulate(alone(set), seed, shared.enc()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(MlKem.class)
    void coefficientsOfAnMlKemKeyAreBelowTheModulus(MlKem set) {
        byte[] key = Secrets.publicOf(alone(set), Identities.filled(SEED, 3));
        assertTrue(set.isPublic(key));
        assertFalse(set.isPublic(Arrays.copyOf(key, key.length - 1)));
        int last = set.publicLength() - 32 - 3;
        for (int at : new int[] {0, 3, last}) {
            assertTrue(set.isPublic(with(key, at, 0x00, 0x0d, 0xd0)));
            assertFalse(set.isPublic(with(key, at, 0x01, 0x0d, 0x00)));
            assertFalse(set.isPublic(with(key, at, 0x00, 0x10, 0xd0)));
        }
        assertTrue(set.isPublic(with(key, last + 3, 0xff, 0xff, 0xff)));
    }

    @ParameterizedTest
    @EnumSource(value = Kem.class, names = {"MLKEM768X25519", "MLKEM768P256", "MLKEM1024P384"})
    void bothHalvesOfAHybridKeyAreChecked(Kem kem) {
        byte[] key = Identities.of(kem).recipient().bytes();
        assertTrue(kem.isPublic(key));
        assertFalse(kem.isPublic(with(key, 0, 0xff, 0xff, 0xff)));
        int element = kem == Kem.MLKEM768X25519 ? 32 : kem == Kem.MLKEM768P256 ? 65 : 97;
        Arrays.fill(key, key.length - element, key.length, (byte) 0);
        assertFalse(kem.isPublic(key));
    }

    /** The KEM that is nothing but ML-KEM. */
    private static Kem alone(MlKem set) {
        return set == MlKem.ML_KEM_768 ? Kem.MLKEM768 : Kem.MLKEM1024;
    }

    private static byte[] with(byte[] key, int at, int first, int second, int third) {
        byte[] other = key.clone();
        other[at] = (byte) first;
        other[at + 1] = (byte) second;
        other[at + 2] = (byte) third;
        return other;
    }

    /** RFC 7748's field has these points of low order, some of them written in two ways (curve25519 of cr.yp.to). */
    @ParameterizedTest
    @ValueSource(strings = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    })
    void anElementOfLowOrderIsNone(String element) {
        assertFalse(new Curve25519().isElement(HexFormat.of().parseHex(element)));
        byte[] hybrid = Bytes.concat(new byte[MlKem.ML_KEM_768.encLength()], HexFormat.of().parseHex(element));
        assertFalse(Secrets.isEnc(Kem.MLKEM768X25519, hybrid));
        hybrid[hybrid.length - 32] ^= 8;
        assertTrue(Secrets.isEnc(Kem.MLKEM768X25519, hybrid));
    }

    @ParameterizedTest
    @CsvSource({"secp256r1, 32", "secp384r1, 48"})
    void publicPointsFollowFromScalars(String name, int length) throws Exception {
        NistCurve curve = length == 32 ? NistCurve.P256 : NistCurve.P384;
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(name));
        for (int i = 0; i < 8; i++) {
            KeyPair pair = generator.generateKeyPair();
            ECPublicKey key = (ECPublicKey) pair.getPublic();
            byte[] scalar = number(((ECPrivateKey) pair.getPrivate()).getS(), length);
            byte[] expected = Bytes.concat(new byte[] {4}, number(key.getW().getAffineX(), length),
                    number(key.getW().getAffineY(), length));
            assertTrue(Secrets.isScalar(curve, scalar));
            assertTrue(curve.isElement(expected));
            assertArrayEquals(expected, Secrets.elementOf(curve, scalar));
        }
    }

    /** The ends of the range, where points are added that are the same or opposite. */
    @Test
    void theFirstAndTheLastScalarsHaveOppositePoints() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        ECPublicKey any = (ECPublicKey) generator.generateKeyPair().getPublic();
        BigInteger order = any.getParams().getOrder();
        BigInteger prime = new BigInteger("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", 16);
        for (int i = 1; i <= 3; i++) {
            byte[] first = Secrets.elementOf(P256, number(BigInteger.valueOf(i), 32));
            byte[] last = Secrets.elementOf(P256, number(order.subtract(BigInteger.valueOf(i)), 32));
            assertArrayEquals(Arrays.copyOf(first, 33), Arrays.copyOf(last, 33));
            assertEquals(prime, y(first).add(y(last)));
        }
        BigInteger base = any.getParams().getGenerator().getAffineY();
        assertEquals(base, y(Secrets.elementOf(P256, number(BigInteger.ONE, 32))));
        assertFalse(Secrets.isScalar(P256, new byte[32]));
        assertFalse(Secrets.isScalar(P256, number(order, 32)));
    }

    @Test
    void aPointMustBeOnItsCurveAndUncompressed() {
        byte[] point = Secrets.elementOf(P256, Identities.filled(32, 1));
        assertTrue(P256.isElement(point));
        assertFalse(P256.isElement(new byte[65]));
        assertFalse(P256.isElement(Arrays.copyOf(point, 64)));
        for (int at : new int[] {0, 1, 32, 33, 64}) {
            byte[] other = point.clone();
            other[at] ^= 1;
            assertFalse(P256.isElement(other), "byte " + at);
        }
    }

    /** A coordinate has one encoding: a number that is equal to it modulo the prime is refused. */
    @Test
    void aCoordinateIsBelowThePrime() {
        BigInteger prime = new BigInteger("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", 16);
        BigInteger b = new BigInteger("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b", 16);
        BigInteger y = b.modPow(prime.add(BigInteger.ONE).shiftRight(2), prime);
        byte[] tag = {4};
        assertTrue(P256.isElement(Bytes.concat(tag, new byte[32], number(y, 32))));
        assertFalse(P256.isElement(Bytes.concat(tag, number(prime, 32), number(y, 32))));
    }

    /** The key is the seed's first scalar in range. A seed without one makes no key. */
    @Test
    void scalarsOutOfRangeAreSkipped() {
        byte[] high = Identities.filled(32, 0xff);
        byte[] low = Identities.filled(32, 5);
        assertArrayEquals(low, Secrets.scalarOf(P256, Bytes.concat(high, new byte[32], low, high)));
        assertThrows(IllegalStateException.class, () -> Secrets.scalarOf(P256, Identities.filled(128, 0xff)));
    }

    private static BigInteger y(byte[] point) {
        return new BigInteger(1, Arrays.copyOfRange(point, 33, 65));
    }

    private static byte[] number(BigInteger value, int length) {
        byte[] bytes = value.toByteArray();
        byte[] number = new byte[length];
        int from = Math.max(0, bytes.length - length);
        System.arraycopy(bytes, from, number, length - (bytes.length - from), bytes.length - from);
        return number;
    }
}
