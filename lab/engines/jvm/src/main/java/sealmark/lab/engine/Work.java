package sealmark.lab.engine;

/** A prepared job: both directions, and what is known about them. */
final class Work {
    /** Whether altered data is promised to be refused. */
    final boolean authenticated;

    /** What really does the work. */
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
