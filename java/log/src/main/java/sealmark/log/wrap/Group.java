package sealmark.log.wrap;

/** A Diffie-Hellman group: of a KEM of its own (RFC 9180), or half of a hybrid one. */
interface Group {
    /** Bytes of a seed that a scalar is made of. */
    int seedLength();

    /** True if these bytes are an element that only holders of a scalar can complete. */
    boolean isElement(byte[] element);

    /** True if these bytes are a secret scalar. */
    boolean isScalar(byte[] scalar);

    /** The private scalar of a seed. */
    byte[] scalarOf(byte[] seed);

    /** The public element of a private scalar. */
    byte[] elementOf(byte[] scalar);

    /** The shared secret with {@code element}, which was checked. */
    byte[] agree(byte[] scalar, byte[] element);

    /** A new key pair, and the shared secret with {@code element}, which was checked: the new element is the enc. */
    Encapsulated agreeOnce(byte[] element);
}
