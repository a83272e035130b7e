package sealmark.log.wrap;

/** How one KEM seals (spec/file.md, "Keys"). Lengths were checked by {@link Kem}. Opening is in {@code sealmark-log-reader}. */
public sealed interface KemScheme permits DhKem, HybridKem, MlKem {
    /** True if these bytes are a public key that protects something. */
    boolean isPublic(byte[] key);

    /**
     * A new shared secret for the holder of {@code key}, which was checked.
     *
     * @throws IllegalStateException if this Java runtime cannot; the hint says what to add
     */
    Encapsulated encapsulate(byte[] key);
}
