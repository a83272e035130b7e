package sealmark.log;

import sealmark.log.keys.PreSharedKey;

/** Sealers for tests, and what tokens tell. */
final class Seals {
    static final Label EMAIL = Label.of("email");

    private Seals() {}

    static LogSealer sealer() {
        return builder().build();
    }

    static LogSealer.Builder builder() {
        return LogSealer.builder().preSharedKey(PreSharedKey.generate()).engine(LogSealer.Engine.PURE_JAVA);
    }

    /** The session that a token, a part or a closing token belongs to. */
    static String sessionOf(String token) {
        String[] pieces = token.split("~", -1);
        return pieces[1].equals("s1h") || pieces[1].equals("s1z") ? pieces[2] : pieces[3];
    }
}
