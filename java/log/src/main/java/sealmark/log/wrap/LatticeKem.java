package sealmark.log.wrap;

/** ML-KEM alone (draft-ietf-hpke-pq, section 3): HPKE's shared secret is FIPS 203's. */
public record LatticeKem(MlKem set) implements KemScheme {
    @Override
    public boolean isPublic(byte[] key) {
        return set.isPublic(key);
    }

    @Override
    public Encapsulated encapsulate(byte[] key) {
        return PostQuantum.sealing().encapsulate(set, key);
    }
}
