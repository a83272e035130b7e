package sealmark.log.keys;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import sealmark.log.wrap.Bech32;
import sealmark.log.wrap.Kem;
import sealmark.log.wrap.KeyFile;

/**
 * A public key that logs can be sealed to. Its holders can write logs and read nothing.
 *
 * <pre>{@code
 * Recipient recipient = Recipient.parse("age1…");   // as sealmark keygen -y prints it
 * }</pre>
 */
public final class Recipient {
    private static final String HINT = "hint: paste the public key that `sealmark keygen` showed, one line that starts"
            + " with age1 or sealmark-";
    private static final int MOST_QUOTED = 40;

    private final Kem kem;
    private final byte[] bytes;

    private Recipient(Kem kem, byte[] bytes) {
        this.kem = kem;
        this.bytes = bytes;
    }

    /**
     * The key of a string {@code age1…}, {@code age1pq1…} or {@code sealmark-TYPE-1…}.
     *
     * @param text the string
     * @return the key
     * @throws IllegalArgumentException if it is not such a string, or the key is invalid for its type, or one that protects
     *     nothing; the message quotes it only where it looks like a public key
     */
    public static Recipient parse(CharSequence text) {
        try (Bech32.Decoded decoded = Bech32.decode(text)) {
            String prefix = decoded.prefix();
            if (Kem.find(kem -> kem.identityPrefix().equals(prefix)).isPresent() || PreSharedKey.isPrefix(prefix)) {
                throw new IllegalArgumentException("this is a secret key, but a public key is needed");
            }
            Kem kem = Kem.find(one -> one.recipientPrefix().equals(prefix)).orElseThrow(Kem::unknown);
            if (decoded.isUpper()) {
                throw new IllegalArgumentException("this public key has upper-case letters, but must be all lower case");
            }
            return new Recipient(kem, checked(kem, decoded.bytes().clone()));
        } catch (IllegalArgumentException e) {
            throw KeyFile.refused("recipient" + quoted(text), e, HINT);
        }
    }

    /**
     * The keys in a file, one a line; empty lines and those that begin with {@code #} are skipped.
     *
     * @param file the file
     * @return the keys, at least one
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if it contains no key or something else; names file and line
     */
    public static List<Recipient> readAll(Path file) throws IOException {
        return KeyFile.read(file, Recipient::parse, "no public key\nhint: write public keys into it, one per line, as"
                + " `sealmark keygen -y FILE` prints them");
    }

    /**
     * The key of some bytes in the HPKE serialisation.
     *
     * @param type the word of spec/file.md, such as {@code x25519} or {@code mlkem768x25519}
     * @param publicKey the bytes, which are copied
     * @return the key
     * @throws IllegalArgumentException if there is no such type, or the bytes are not a key of that type
     */
    public static Recipient of(String type, byte[] publicKey) {
        Kem kem = Kem.ofWord(type);
        return new Recipient(kem, checked(kem, publicKey.clone()));
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
     * Tells if values that are sealed to this key stay closed to a quantum computer.
     *
     * @return false for x25519 and p256
     */
    public boolean isPostQuantum() {
        return kem.isPostQuantum();
    }

    /**
     * The key in its HPKE serialisation.
     *
     * @return a copy
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The string that {@link #parse} reads. */
    @Override
    public String toString() {
        return new String(Bech32.encode(kem.recipientPrefix(), bytes, false));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Recipient recipient && kem == recipient.kem && Arrays.equals(bytes, recipient.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    private static byte[] checked(Kem kem, byte[] key) {
        if (!kem.isPublic(key)) {
            throw new IllegalArgumentException("wrong length or value");
        }
        return key;
    }

    /** The start of what looks like a public key; nothing of all else, which may be a secret. */
    private static String quoted(CharSequence text) {
        String start = text.subSequence(0, Math.min(text.length(), MOST_QUOTED)).toString();
        boolean isPublic = start.startsWith("age1") || (start.startsWith("sealmark-") && !start.contains("secret"));
        return isPublic ? " \"" + start + (text.length() > MOST_QUOTED ? "…\"" : "\"") : "";
    }
}
