package sealmark.log.wrap;

import java.util.Optional;

/** Where ML-KEM comes from: the JDK from 24 on, else Bouncy Castle where the application has it. */
final class PostQuantum {
    private PostQuantum() {}

    /** The functions that a sealer needs. */
    interface Sealing {
        /** A new shared secret for the holder of a key that was checked. */
        Encapsulated encapsulate(MlKem set, byte[] key);
    }

    /** The functions that an opener needs besides: the JDK has neither secret keys as seeds nor SHAKE256 of any length. */
    interface Opening {
        byte[] publicOf(MlKem set, byte[] seed);

        byte[] decapsulate(MlKem set, byte[] seed, byte[] enc);

        byte[] shake256(byte[] seed, int length);
    }

    /** The way to seal; throws {@link IllegalStateException} where nothing here knows ML-KEM. */
    static Sealing sealing() {
        return Found.SEALING.orElseThrow(() -> new IllegalStateException("this Java runtime has no ML-KEM\nhint: run on"
                + " JDK 24 or newer, add org.bouncycastle:bcprov-jdk18on (1.86 or newer), or use the native engine"));
    }

    /** The way to open; throws {@link IllegalStateException} where Bouncy Castle is missing. */
    static Opening opening() {
        return Found.OPENING.orElseThrow(() -> new IllegalStateException("opening with a hybrid or ML-KEM key needs Bouncy Castle"
                + "\nhint: add org.bouncycastle:bcprov-jdk18on (1.86 or newer), or open with `sealmark log open`"));
    }

    private static final class Found {
        private static final Optional<BouncyCastle> BOUNCY_CASTLE = bouncyCastle();
        private static final Optional<Sealing> SEALING = JdkMlKem.find().or(() -> BOUNCY_CASTLE);
        private static final Optional<Opening> OPENING = BOUNCY_CASTLE.map(library -> library);

        private static Optional<BouncyCastle> bouncyCastle() {
            try {
                return Optional.of(new BouncyCastle());
            } catch (LinkageError e) {
                // Not on the class path, or too old to have these classes.
                return Optional.empty();
            }
        }
    }
}
