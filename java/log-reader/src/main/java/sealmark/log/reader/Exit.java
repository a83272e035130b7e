package sealmark.log.reader;

/** How the program ends, from the least to the worst. The numbers are a promise to scripts. */
enum Exit {
    DONE(0),
    /** Only of grep, whose exit codes are those of grep. */
    NOT_FOUND(1),
    USAGE(1),
    IO(2),
    NO_KEY(3),
    DAMAGED(4);

    private final int number;

    Exit(int number) {
        this.number = number;
    }

    int code(boolean isGrep) {
        return isGrep && this == USAGE ? IO.number : number;
    }

    Exit max(Exit other) {
        return compareTo(other) < 0 ? other : this;
    }
}
