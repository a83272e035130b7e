package sealmark.log.reader;

/** Why a header gave no session key. A header that is refused is none. */
final class HeaderException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** The kinds of refusal. */
    public enum Reason {
        /** No stanza opened with the keys at hand. */
        NO_KEY,
        /** It breaks a rule on form or bounds. */
        MALFORMED,
        /** Its session or its MAC is not that of its key. */
        TAMPERED
    }

    HeaderException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    static HeaderException malformed(String message) {
        return new HeaderException(Reason.MALFORMED, message);
    }

    /** The kind of refusal. */
    public Reason reason() {
        return reason;
    }
}
