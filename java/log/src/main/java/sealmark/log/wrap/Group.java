package sealmark.log.wrap;

/** A Diffie-Hellman group: of a KEM of its own (RFC 9180), or half of a hybrid one. */
public sealed interface Group permits Curve25519, NistCurve {
    /** True if these bytes are an element that only holders of a scalar can complete. */
    boolean isElement(byte[] element);

    /** A new key pair, and the shared secret with {@code element}, which was checked: the new element is the enc. */
    Encapsulated agreeOnce(byte[] element);
}
