package sealmark.log.wrap;

/** ML-KEM alone (draft-ietf-hpke-pq, section 3): HPKE's shared secret is FIPS 203's. */
final class LatticeKem implements KemScheme {
    private final MlKem set;

    LatticeKem(MlKem set) {
        this.set = set;
    }

    @Override
    public boolean isPublic(byte[] key) {
        return set.isPublic(key);
    }

    @Override
    public boolean isSecret(byte[] secret) {
        return secret.length == MlKem.SEED;
    }

    @Override
    public boolean isEnc(byte[] enc) {
        return enc.length == set.encLength();
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

    @Override
    public void requireSealing() {
        PostQuantum.sealing();
    }

    @Override
    public void requireOpening() {
        PostQuantum.opening();
    }
}
