package sealmark.lab.engine;

/** A prepared job: both directions, and what is known about them. */
final class Work {
    /** True if the library promises to refuse altered data. */
    final boolean authenticated;

    /** The name of the code that does the work, which may be another than the engine's. */
    final String code;

    /** {@code seal}, {@code encode} or {@code loop}. */
    final Operation forward;

    /** {@code open} or {@code decode}; null for {@code loop}. */
    final Operation back;

    Work(boolean authenticated, String code, Operation forward, Operation back) {
        this.authenticated = authenticated;
        this.code = code;
        this.forward = forward;
        this.back = back;
    }
}
