package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Predicate;

/** The key encapsulation mechanisms that a log can be sealed with (spec/file.md, "Keys"). */
public enum Kem {
    /** DHKEM(X25519, HKDF-SHA256); age's X25519. */
    X25519("x25519", 0x0020, 32, 32, 32, new DhKem(new Curve25519(), LabeledKdf.ofKem(0x0020))),
    /** DHKEM(P-256, HKDF-SHA256). */
    P256("p256", 0x0010, 32, 65, 65, new DhKem(NistCurve.P256, LabeledKdf.ofKem(0x0010))),
    /** ML-KEM-768. */
    MLKEM768("mlkem768", 0x0041, 64, 1184, 1088, MlKem.ML_KEM_768),
    /** ML-KEM-1024. */
    MLKEM1024("mlkem1024", 0x0042, 64, 1568, 1568, MlKem.ML_KEM_1024),
    /** ML-KEM-768 with X25519 (X-Wing); age's mlkem768x25519. */
    MLKEM768X25519("mlkem768x25519", 0x647a, 32, 1216, 1120,
            new HybridKem(MlKem.ML_KEM_768, new Curve25519(), "\\.//^\\")),
    /** ML-KEM-768 with P-256. */
    MLKEM768P256("mlkem768p256", 0x0050, 32, 1249, 1153,
            new HybridKem(MlKem.ML_KEM_768, NistCurve.P256, "MLKEM768-P256")),
    /** ML-KEM-1024 with P-384. */
    MLKEM1024P384("mlkem1024p384", 0x0051, 32, 1665, 1665,
            new HybridKem(MlKem.ML_KEM_1024, NistCurve.P384, "MLKEM1024-P384"));

    private final String word;
    private final int id;
    private final int secretLength;
    private final int publicLength;
    private final int encLength;
    @SuppressWarnings("ImmutableEnumChecker") // Schemes have no state.
    private final KemScheme scheme;

    Kem(String word, int id, int secretLength, int publicLength, int encLength, KemScheme scheme) {
        this.word = word;
        this.id = id;
        this.secretLength = secretLength;
        this.publicLength = publicLength;
        this.encLength = encLength;
        this.scheme = scheme;
    }

    /**
     * The KEM of a type's word.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Kem ofWord(String word) {
        return find(kem -> kem.word.equals(word)).orElseThrow(Kem::unknown);
    }

    /** Finds the first KEM that fulfils a condition. */
    public static Optional<Kem> find(Predicate<Kem> is) {
        return Arrays.stream(values()).filter(is).findFirst();
    }

    /** Makes the exception for a key of an unknown type. */
    public static IllegalArgumentException unknown() {
        return new IllegalArgumentException("this version does not know the type of this key; a newer one may");
    }

    /** The word that stands for this KEM in headers and key strings. */
    public String word() {
        return word;
    }

    /** The KEM's number in IANA's HPKE registry. */
    public int id() {
        return id;
    }

    /** Bytes of a secret key. */
    public int secretLength() {
        return secretLength;
    }

    /** Bytes of an encapsulated key. */
    public int encLength() {
        return encLength;
    }

    /** True if values that are sealed with it stay closed to a quantum computer. */
    public boolean isPostQuantum() {
        return this != X25519 && this != P256;
    }

    /** The part before the last {@code 1} of a public key's string. */
    public String recipientPrefix() {
        return switch (this) {
            case X25519 -> "age";
            case MLKEM768X25519 -> "age1pq";
            default -> "sealmark-" + word + "-";
        };
    }

    /** The part before the last {@code 1} of a secret key's string, in lower case. */
    public String identityPrefix() {
        return switch (this) {
            case X25519 -> "age-secret-key-";
            case MLKEM768X25519 -> "age-secret-key-pq-";
            default -> "sealmark-secret-key-" + word + "-";
        };
    }

    /** True if these bytes are a public key that protects something. */
    public boolean isPublic(byte[] key) {
        return key.length == publicLength && scheme.isPublic(key);
    }

    public KemScheme scheme() {
        return scheme;
    }

    /** Throws {@link IllegalStateException} where encapsulating would; the hint says what to add. */
    void requireSealing() {
        if (isPostQuantum()) {
            PostQuantum.sealing();
        }
    }

    /** Returns the HPKE {@code info}, which binds the ciphertext to the format (spec/record.md, "Header"). */
    public byte[] info() {
        return ("sealmark/1 log " + word).getBytes(US_ASCII);
    }
}
