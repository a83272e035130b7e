package sealmark.log.wrap;

/** ML-KEM alone (draft-ietf-hpke-pq, section 3): HPKE's shared secret is FIPS 203's. */
record LatticeKem(MlKem set) implements KemScheme {
    @Override
    public boolean isPublic(byte[] key) {
        return set.isPublic(key);
    }

    @Override
    public Encapsulated encapsulate(byte[] key) {
        return PostQuantum.sealing().encapsulate(set, key);
    }

    @Override
    public byte[] decapsulate(byte[] secret, byte[] enc) {
        return PostQuantum.opening().decapsulate(set, secret, enc);
    }

    @Override
    public byte[] publicOf(byte[] secret) {
        return PostQuantum.opening().publicOf(set, secret);
    }
}
