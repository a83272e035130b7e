package sealmark.log.wrap;

/** DHKEM (RFC 9180, section 4.1) with HKDF-SHA256. */
record DhKem(Group group, LabeledKdf kdf) implements KemScheme {
    @Override
    public boolean isPublic(byte[] key) {
        return group.isElement(key);
    }

    @Override
    public boolean isSecret(byte[] secret) {
        return group.isScalar(secret);
    }

    @Override
    public boolean isEnc(byte[] enc) {
        return group.isElement(enc);
    }

    @Override
    public Encapsulated encapsulate(byte[] key) {
        try (Encapsulated agreed = group.agreeOnce(key)) {
            return new Encapsulated(secret(agreed.secret(), agreed.enc(), key), agreed.enc());
        }
    }

    @Override
    public byte[] decapsulate(byte[] secret, byte[] enc) {
        byte[] agreed = group.agree(secret, enc);
        try {
            return secret(agreed, enc, group.elementOf(secret));
        } finally {
            Bytes.wipe(agreed);
        }
    }

    @Override
    public byte[] publicOf(byte[] secret) {
        return group.elementOf(secret);
    }

    /** ExtractAndExpand. */
    private byte[] secret(byte[] agreed, byte[] enc, byte[] key) {
        byte[] prk = kdf.extract(new byte[0], "eae_prk", agreed);
        byte[] secret = kdf.expand(prk, "shared_secret", Bytes.concat(enc, key), Hkdf.LENGTH);
        Bytes.wipe(prk);
        return secret;
    }
}
