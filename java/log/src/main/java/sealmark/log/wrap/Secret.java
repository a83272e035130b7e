package sealmark.log.wrap;

import javax.crypto.SecretKey;

/** Key bytes for the JCE. Unlike {@link javax.crypto.spec.SecretKeySpec} it keeps no copy that nobody can wipe. */
final class Secret implements SecretKey {
    private static final long serialVersionUID = 1L;

    private final transient byte[] bytes;
    private final String algorithm;

    /** Takes these bytes themselves: wiping them ends this key. */
    Secret(String algorithm, byte[] bytes) {
        this.algorithm = algorithm;
        this.bytes = bytes;
    }

    @Override
    public String getAlgorithm() {
        return algorithm;
    }

    @Override
    public String getFormat() {
        return "RAW";
    }

    @Override
    public byte[] getEncoded() {
        return bytes.clone();
    }
}
