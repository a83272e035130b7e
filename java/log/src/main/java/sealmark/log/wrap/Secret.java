package sealmark.log.wrap;

import javax.crypto.SecretKey;

/** Key bytes for the JCE. Unlike {@link javax.crypto.spec.SecretKeySpec} it keeps no copy that nobody can wipe. */
public final class Secret implements SecretKey {
    private static final long serialVersionUID = 1L;

    /** Not written with the object. */
    private final transient byte[] bytes;
    private final String algorithm;
    private transient volatile boolean isDestroyed;

    /** Takes these bytes themselves: wiping them ends this key. */
    public Secret(String algorithm, byte[] bytes) {
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

    /**
     * The key's bytes.
     *
     * @return a copy, which the caller wipes
     * @throws IllegalStateException if this key was destroyed
     */
    public synchronized byte[] copy() {
        if (isDestroyed) {
            throw new IllegalStateException("this key was closed and wiped");
        }
        return bytes.clone();
    }

    @Override
    public synchronized void destroy() {
        isDestroyed = true;
        Bytes.wipe(bytes);
    }

    @Override
    public boolean isDestroyed() {
        return isDestroyed;
    }
}
