package sealmark.log.wrap;

/** DHKEM (RFC 9180, section 4.1) with HKDF-SHA256. */
public record DhKem(Group group, LabeledKdf kdf) implements KemScheme {
    @Override
    public boolean isPublic(byte[] key) {
        return group.isElement(key);
    }

    @Override
    public Encapsulated encapsulate(byte[] key) {
        try (Encapsulated agreed = group.agreeOnce(key)) {
            return new Encapsulated(secret(agreed.secret(), agreed.enc(), key), agreed.enc());
        }
    }

    /** The shared secret of what was agreed: ExtractAndExpand. */
    public byte[] secret(byte[] agreed, byte[] enc, byte[] key) {
        byte[] prk = kdf.extract(new byte[0], "eae_prk", agreed);
        byte[] secret = kdf.expand(prk, "shared_secret", Bytes.concat(enc, key), Hkdf.LENGTH);
        Bytes.wipe(prk);
        return secret;
    }
}
