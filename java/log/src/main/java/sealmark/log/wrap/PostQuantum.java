package sealmark.log.wrap;

import java.util.Optional;

/** Where ML-KEM comes from: the JDK from 24 on, else Bouncy Castle where the application has it. */
interface PostQuantum {
    /** A new shared secret for the holder of a key that was checked. */
    Encapsulated encapsulate(MlKem set, byte[] key);

    /** The way to seal; throws {@link IllegalStateException} where nothing here knows ML-KEM. */
    static PostQuantum sealing() {
        return Found.SEALING.orElseThrow(() -> new IllegalStateException("this Java runtime has no ML-KEM\nhint: run on"
                + " JDK 24 or newer, add org.bouncycastle:bcprov-jdk18on (1.86 or newer), or use the native engine"));
    }

    /** Looked for once. */
    final class Found {
        private static final Optional<PostQuantum> SEALING = JdkMlKem.find().or(Found::bouncyCastle);

        private Found() {}

        private static Optional<PostQuantum> bouncyCastle() {
            try {
                return Optional.of(new BouncyCastle());
            } catch (LinkageError e) {
                // Not on the class path, or too old to have these classes.
                return Optional.empty();
            }
        }
    }
}
