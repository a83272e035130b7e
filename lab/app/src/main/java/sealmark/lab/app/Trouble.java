package sealmark.lab.app;

/** Bad news, under the answer it goes by (spec/engine.md, "Asks and answers"). */
final class Trouble extends Exception {
    private static final long serialVersionUID = 1;
    private static final int LONGEST_REASON = 500;

    /** {@code unsupported}, {@code limited}, {@code exhausted} or {@code failed}. */
    final String answer;

    private Trouble(String answer, String why) {
        super(oneLine(why));
        this.answer = answer;
    }

    static Trouble unsupported(String why) {
        return new Trouble("unsupported", why);
    }

    static Trouble limited(String why) {
        return new Trouble("limited", why);
    }

    static Trouble failed(String why) {
        return new Trouble("failed", why);
    }

    /** The same of whatever was thrown. */
    static Trouble of(Throwable error) {
        if (error instanceof Trouble trouble) {
            return trouble;
        }
        String why = error.getClass().getSimpleName() + (error.getMessage() == null ? "" : ": " + error.getMessage());
        return error instanceof OutOfMemoryError ? new Trouble("exhausted", why) : failed(why);
    }

    private static String oneLine(String why) {
        String line = why.replaceAll("\\s+", " ").strip();
        return line.length() <= LONGEST_REASON ? line : line.substring(0, LONGEST_REASON) + " …";
    }
}
