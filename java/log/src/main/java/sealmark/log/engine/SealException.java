package sealmark.log.engine;

/** A value could not be sealed, or a session not begun. Its message holds nothing of the value. */
public final class SealException extends Exception {
    private static final long serialVersionUID = 1;

    /**
     * Makes an exception with a reason.
     *
     * @param message one line for a person
     */
    public SealException(String message) {
        super(message);
    }

    /**
     * Makes an exception with a reason and its cause.
     *
     * @param message one line for a person
     * @param cause whose message holds nothing of a value either
     */
    public SealException(String message, Throwable cause) {
        super(message, cause);
    }
}
