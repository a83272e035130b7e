package sealmark.logback;

/**
 * Says of a failure what it was and where, and not what it says itself: that may have values in it that the line would
 * not have in the clear, and Logback prints it.
 */
final class NotEncoded extends RuntimeException {
    private static final long serialVersionUID = 1;
    /** Chains of causes may have no end. */
    private static final int CAUSES = 5;

    NotEncoded(Throwable error) {
        this(error, CAUSES);
    }

    private NotEncoded(Throwable error, int causes) {
        super(error.getClass().getName(),
                error.getCause() == null || causes == 0 ? null : new NotEncoded(error.getCause(), causes - 1));
        setStackTrace(error.getStackTrace());
    }
}
