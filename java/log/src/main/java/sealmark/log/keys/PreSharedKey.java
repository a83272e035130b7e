package sealmark.log.keys;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import sealmark.log.wrap.Bech32;
import sealmark.log.wrap.Bytes;
import sealmark.log.wrap.KeyFile;
import sealmark.log.wrap.Secret;

/**
 * A pre-shared key: 32 random bytes that writers and readers of a log share. Each holder can read and write; in return a token
 * proves that it comes from a holder of the key. Closing it wipes it; it is never printed.
 *
 * <pre>{@code
 * try (PreSharedKey key = PreSharedKey.read(Path.of("shared.txt"))) {
 *     LogSealer sealer = LogSealer.builder().preSharedKey(key).build();
 * }
 * }</pre>
 */
public final class PreSharedKey implements AutoCloseable {
    private static final String PREFIX = "sealmark-secret-key-psk-";
    private static final int LENGTH = 32;
    private static final String MISSING =
            "no pre-shared key\nhint: make one with `sealmark keygen --mode psk -o shared.txt`";
    private static final String HINT = "hint: make one with `sealmark keygen --mode psk -o shared.txt`; it starts with"
            + " SEALMARK-SECRET-KEY-PSK-1";

    private final Secret secret;

    /** Takes over these bytes, which are no longer the caller's. */
    private PreSharedKey(byte[] secret) {
        this.secret = new Secret("RAW", secret);
    }

    /**
     * A new random key.
     *
     * @return the key
     */
    public static PreSharedKey generate() {
        byte[] bytes = new byte[LENGTH];
        new SecureRandom().nextBytes(bytes);
        return new PreSharedKey(bytes);
    }

    /**
     * The key of some bytes, which are copied.
     *
     * @param bytes 32 bytes
     * @return the key
     * @throws IllegalArgumentException if they are not 32
     */
    public static PreSharedKey of(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException("a pre-shared key has " + LENGTH + " bytes, not " + bytes.length + "\n" + HINT);
        }
        return new PreSharedKey(bytes.clone());
    }

    /**
     * The key of a string {@code SEALMARK-SECRET-KEY-PSK-1…}.
     *
     * @param text the string, of which no copy is kept; pass a {@link java.nio.CharBuffer} to be able to wipe it
     * @return the key
     * @throws IllegalArgumentException if it is not such a string; the message never quotes it
     */
    public static PreSharedKey parse(CharSequence text) {
        try (Bech32.Decoded decoded = Bech32.decode(text)) {
            if (!isPrefix(decoded.prefix())) {
                throw new IllegalArgumentException("this is a key of another type");
            }
            if (!decoded.isUpper()) {
                throw new IllegalArgumentException("this key has lower-case letters, but must be all upper case");
            }
            if (decoded.bytes().length != LENGTH) {
                throw new IllegalArgumentException("wrong length or value");
            }
            return new PreSharedKey(decoded.bytes().clone());
        } catch (IllegalArgumentException e) {
            throw KeyFile.refused("pre-shared key", e, HINT);
        }
    }

    /**
     * The keys in a file, one a line; empty lines and those that begin with {@code #} are skipped.
     *
     * @param file the file
     * @return the keys, at least one
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if it contains no key or something else; names file and line, and quotes
     *     nothing
     */
    public static List<PreSharedKey> readAll(Path file) throws IOException {
        return KeyFile.read(file, PreSharedKey::parse, MISSING);
    }

    /**
     * The one key in a file.
     *
     * @param file as for {@link #readAll}
     * @return the key
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException as from {@link #readAll}, and where there are several
     */
    public static PreSharedKey read(Path file) throws IOException {
        List<PreSharedKey> keys = readAll(file);
        if (keys.size() > 1) {
            keys.forEach(PreSharedKey::close);
            throw new IllegalArgumentException("key file \"" + file
                    + "\" contains several keys\nhint: keep the one to seal with in a file of its own");
        }
        return keys.get(0);
    }

    /**
     * Copies the key.
     *
     * @return another one of the same bytes, which is closed by itself
     * @throws IllegalStateException if this key was closed
     */
    public PreSharedKey copy() {
        return new PreSharedKey(secret.copy());
    }

    /**
     * The string that {@link #parse} reads, to be kept secret.
     *
     * @return its characters, which the caller wipes
     * @throws IllegalStateException if this key was closed
     */
    public char[] secretChars() {
        byte[] bytes = secretBytes();
        try {
            return Bech32.encode(PREFIX, bytes, true);
        } finally {
            Bytes.wipe(bytes);
        }
    }

    /**
     * The 32 bytes of the key.
     *
     * @return a copy, which the caller wipes
     * @throws IllegalStateException if this key was closed
     */
    public byte[] secretBytes() {
        return secret.copy();
    }

    /** Wipes the key. */
    @Override
    public void close() {
        secret.destroy();
    }

    /** Returns nothing of the key. */
    @Override
    public String toString() {
        return "PreSharedKey";
    }

    /**
     * True if a key string of this type starts so.
     *
     * @param prefix the part before the last {@code 1}, in lower case
     * @return false for keys of other types
     */
    public static boolean isPrefix(String prefix) {
        return prefix.equals(PREFIX);
    }
}
