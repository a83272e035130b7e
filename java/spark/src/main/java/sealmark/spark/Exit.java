package sealmark.spark;

/** The exit codes of {@code sealmark log}. */
final class Exit {
    static final int DONE = 0;
    static final int USAGE = 1;
    static final int IO = 2;
    static final int NO_KEY = 3;
    static final int DAMAGED = 4;

    private Exit() {}
}
