package sealmark.log.engine;

import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import javax.crypto.SecretKey;

/** An AES-256 key that can be wiped, as {@link javax.crypto.spec.SecretKeySpec} cannot. */
public final class ValueKey implements SecretKey {
    private static final long serialVersionUID = 1;

    private final transient byte[] bytes;
    private transient volatile boolean destroyed;

    /** Takes the array over. */
    public ValueKey(byte[] bytes) {
        this.bytes = bytes;
    }

    @Override
    public String getAlgorithm() {
        return "AES";
    }

    @Override
    public String getFormat() {
        return "RAW";
    }

    @Override
    public byte[] getEncoded() {
        return bytes.clone();
    }

    @Override
    public void destroy() {
        destroyed = true;
        Arrays.fill(bytes, (byte) 0);
    }

    @Override
    public boolean isDestroyed() {
        return destroyed;
    }

    @Override
    public String toString() {
        return "ValueKey";
    }

    private void writeObject(ObjectOutputStream out) throws NotSerializableException {
        throw new NotSerializableException("a key cannot be serialized");
    }
}
