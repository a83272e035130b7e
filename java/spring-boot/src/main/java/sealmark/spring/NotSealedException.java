package sealmark.spring;

/** The application would write values in the clear that are to be sealed, so it does not start. */
final class NotSealedException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final String HINT = "\nhint: ";

    private final String hint;

    NotSealedException(String fault, String hint) {
        super(fault);
        this.hint = hint;
    }

    /** The library's messages end with a hint. */
    NotSealedException(Throwable cause) {
        super(fault(cause), cause);
        String message = String.valueOf(cause.getMessage());
        int at = message.indexOf(HINT);
        hint = at < 0 ? "correct the sealmark.* properties" : message.substring(at + HINT.length());
    }

    private static String fault(Throwable cause) {
        String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        int at = message.indexOf(HINT);
        return at < 0 ? message : message.substring(0, at);
    }

    String hint() {
        return hint;
    }
}
