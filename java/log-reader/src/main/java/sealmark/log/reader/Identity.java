package sealmark.log.reader;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;
import sealmark.log.wrap.Bech32;
import sealmark.log.wrap.Bytes;
import sealmark.log.wrap.Kem;
import sealmark.log.wrap.KeyFile;
import sealmark.log.wrap.Secret;

/**
 * A secret key, which opens logs that were sealed to its {@link #recipient}. Closing it wipes it; it is never printed.
 *
 * <pre>{@code
 * for (Identity identity : Identity.readAll(Path.of("key.txt"))) {
 *     System.out.println(identity.recipient());   // the public key
 * }
 * }</pre>
 */
public final class Identity implements AutoCloseable {
    private static final String HINT = "hint: name the file that `sealmark keygen -o key.txt` wrote; its key starts"
            + " with AGE-SECRET-KEY- or SEALMARK-SECRET-KEY-";

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Kem kem;
    private final Secret secret;

    /** Takes over these bytes, which are no longer the caller's. */
    private Identity(Kem kem, byte[] secret) {
        this.secret = new Secret(kem.word(), secret);
        this.kem = kem;
    }

    /**
     * A new random key, hybrid: ML-KEM-768 with X25519.
     *
     * @return the key
     */
    public static Identity generate() {
        return generate(Kem.MLKEM768X25519.word());
    }

    /**
     * A new random key.
     *
     * @param type the word of spec/file.md, such as {@code x25519} or {@code mlkem768x25519}
     * @return the key
     * @throws IllegalArgumentException if there is no such type
     */
    public static Identity generate(String type) {
        Kem kem = Kem.ofWord(type);
        byte[] secret = new byte[kem.secretLength()];
        // A few of all strings of bytes are not keys of P-256.
        do {
            RANDOM.nextBytes(secret);
        } while (!Decapsulation.of(kem).isSecret(secret));
        return new Identity(kem, secret);
    }

    /**
     * The key of a string {@code AGE-SECRET-KEY-1…}, {@code AGE-SECRET-KEY-PQ-1…} or
     * {@code SEALMARK-SECRET-KEY-TYPE-1…}.
     *
     * @param text the string, of which no copy is kept; pass a {@link java.nio.CharBuffer} to be able to wipe it
     * @return the key
     * @throws IllegalArgumentException if it is not such a string; the message never quotes it
     */
    public static Identity parse(CharSequence text) {
        try (Bech32.Decoded decoded = Bech32.decode(text)) {
            if (Kem.find(kem -> kem.recipientPrefix().equals(decoded.prefix())).isPresent()) {
                throw new IllegalArgumentException("this is a public key, but a secret key is needed");
            }
            if (PreSharedKey.isPrefix(decoded.prefix())) {
                throw new IllegalArgumentException("this is a pre-shared key: add it with preSharedKeyFile");
            }
            Kem kem = Kem.find(one -> one.identityPrefix().equals(decoded.prefix())).orElseThrow(Kem::unknown);
            if (!decoded.isUpper()) {
                throw new IllegalArgumentException("this secret key has lower-case letters, but must be all upper case");
            }
            if (!Decapsulation.of(kem).isSecret(decoded.bytes())) {
                throw new IllegalArgumentException("wrong length or value");
            }
            return new Identity(kem, decoded.bytes().clone());
        } catch (IllegalArgumentException e) {
            throw KeyFile.refused("secret key", e, HINT);
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
    public static List<Identity> readAll(Path file) throws IOException {
        return KeyFile.read(file, Identity::parse, "no secret key\nhint: make one with `sealmark keygen -o key.txt`");
    }

    /**
     * The key's type.
     *
     * @return the word of spec/file.md
     */
    public String type() {
        return kem.word();
    }

    /**
     * The public key of this secret key.
     *
     * @return the public key
     * @throws IllegalStateException if that needs a library that is missing, or this key was closed
     */
    public Recipient recipient() {
        byte[] bytes = secretBytes();
        try {
            return Recipient.of(kem.word(), Decapsulation.of(kem).publicOf(bytes));
        } finally {
            Bytes.wipe(bytes);
        }
    }

    /**
     * The key in its HPKE serialisation.
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

    /**
     * The string that {@link #parse} reads, to be kept secret.
     *
     * @return its characters, which the caller wipes
     * @throws IllegalStateException if this key was closed
     */
    public char[] secretChars() {
        byte[] bytes = secretBytes();
        try {
            return Bech32.encode(kem.identityPrefix(), bytes, true);
        } finally {
            Bytes.wipe(bytes);
        }
    }

    /** Says which type it is of, and nothing else. */
    @Override
    public String toString() {
        return "Identity(" + kem.word() + ")";
    }
}
