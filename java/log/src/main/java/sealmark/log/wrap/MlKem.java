package sealmark.log.wrap;

import java.util.HexFormat;

/**
 * The two parameter sets of FIPS 203 that are used here. Alone, their shared secret is that of HPKE (draft-ietf-hpke-pq,
 * section 3).
 */
public enum MlKem implements KemScheme {
    ML_KEM_768("ML-KEM-768", 1184, 1088, "308204b2300b0609608648016503040402038204a100"),
    ML_KEM_1024("ML-KEM-1024", 1568, 1568, "30820632300b06096086480165030404030382062100");

    private static final int RHO = 32;
    private static final int MODULUS = 3329;

    private final String algorithm;
    private final int publicLength;
    private final int encLength;
    private final String publicPrefix;

    MlKem(String algorithm, int publicLength, int encLength, String publicPrefix) {
        this.algorithm = algorithm;
        this.publicLength = publicLength;
        this.encLength = encLength;
        this.publicPrefix = publicPrefix;
    }

    /** The JCA's name. */
    String algorithm() {
        return algorithm;
    }

    public int publicLength() {
        return publicLength;
    }

    public int encLength() {
        return encLength;
    }

    /** The encoding of a public key (RFC 9935) up to the key's own bytes. */
    byte[] publicPrefix() {
        return HexFormat.of().parseHex(publicPrefix);
    }

    /** Length and modulus check (FIPS 203, section 7.2): each twelve bits are below the modulus. */
    @Override
    public boolean isPublic(byte[] key) {
        if (key.length != publicLength) {
            return false;
        }
        boolean below = true;
        for (int at = 0; at < publicLength - RHO; at += 3) {
            int pair = (key[at] & 0xff) | (key[at + 1] & 0xff) << 8 | (key[at + 2] & 0xff) << 16;
            below &= (pair & 0xfff) < MODULUS && pair >>> 12 < MODULUS;
        }
        return below;
    }

    @Override
    public Encapsulated encapsulate(byte[] key) {
        return PostQuantum.sealing().encapsulate(this, key);
    }
}
