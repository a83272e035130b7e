package sealmark.log.keys;

import java.util.Arrays;
import java.util.Optional;
import sealmark.log.wrap.Kem;

/** Reads the strings of all kinds of keys. */
final class KeyStrings {
    private KeyStrings() {}

    static Optional<Kem> recipientType(String prefix) {
        return Arrays.stream(Kem.values()).filter(kem -> kem.recipientPrefix().equals(prefix)).findFirst();
    }

    static Optional<Kem> identityType(String prefix) {
        return Arrays.stream(Kem.values()).filter(kem -> kem.identityPrefix().equals(prefix)).findFirst();
    }

    static IllegalArgumentException unknownType() {
        return new IllegalArgumentException("this key is of a type that only a newer version may know");
    }

    static IllegalArgumentException refused(String what, IllegalArgumentException why, String hint) {
        return new IllegalArgumentException("not a " + what + ": " + why.getMessage() + "\n" + hint);
    }
}
