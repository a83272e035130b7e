package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** HKDF as HPKE calls it: with its own name, the suite's and a label (RFC 9180, section 4). */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares two of them.
public record LabeledKdf(byte[] suite) {
    private static final byte[] VERSION = "HPKE-v1".getBytes(US_ASCII);

    static LabeledKdf ofKem(int id) {
        return new LabeledKdf(Bytes.concat("KEM".getBytes(US_ASCII), Bytes.number(id)));
    }

    /** With HKDF-SHA256 (0x0001) and AES-256-GCM (0x0002). */
    static LabeledKdf ofHpke(int id) {
        byte[] rest = {0, 1, 0, 2};
        return new LabeledKdf(Bytes.concat("HPKE".getBytes(US_ASCII), Bytes.number(id), rest));
    }

    byte[] extract(byte[] salt, String label, byte[] ikm) {
        return Hkdf.extract(salt, VERSION, suite, label.getBytes(US_ASCII), ikm);
    }

    byte[] expand(byte[] prk, String label, byte[] info, int length) {
        return Hkdf.expand(prk, length, Bytes.number(length), VERSION, suite, label.getBytes(US_ASCII), info);
    }
}
