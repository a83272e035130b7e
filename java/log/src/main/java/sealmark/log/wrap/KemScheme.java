package sealmark.log.wrap;

/** How one KEM works (spec/file.md, "Keys"). Lengths were checked by {@link Kem}. */
interface KemScheme {
    /** True if these bytes are a public key that protects something. */
    boolean isPublic(byte[] key);

    /** True if these bytes are a secret key. */
    default boolean isSecret(byte[] secret) {
        return true;
    }

    /** True if these bytes can be an encapsulated key. */
    default boolean isEnc(byte[] enc) {
        return true;
    }

    /**
     * A new shared secret for the holder of {@code key}, which was checked.
     *
     * @throws IllegalStateException if this Java runtime cannot; the hint says what to add
     */
    Encapsulated encapsulate(byte[] key);

    /**
     * The shared secret of {@code enc}, which was checked.
     *
     * @throws IllegalStateException if this Java runtime cannot; the hint says what to add
     */
    byte[] decapsulate(byte[] secret, byte[] enc);

    /**
     * The public key of a private one.
     *
     * @throws IllegalStateException if this Java runtime cannot; the hint says what to add
     */
    byte[] publicOf(byte[] secret);
}
