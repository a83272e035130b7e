package sealmark.log.engine;

/**
 * A thread that runs out of stack must not do so while it holds what others wait for: what would have given it back may
 * not run then, either. So there is a look at the stack before.
 */
public final class StackRoom {
    private static final int DEPTH = 200;

    private StackRoom() {}

    /**
     * Returns where a good deal of stack is left.
     *
     * @throws StackOverflowError if there is not, and nothing is held yet
     */
    public static void require() {
        if (use(DEPTH, 1, 2, 3, 4, 5, 6, 7) == 0) {
            throw new IllegalStateException("internal error: the probe of the stack was optimised away");
        }
    }

    /** Each call takes a hundred bytes and more. */
    private static long use(int depth, long a, long b, long c, long d, long e, long f, long g) {
        return depth == 0 ? a | b | c | d | e | f | g : use(depth - 1, b, c, d, e, f, g, a) | 1;
    }
}
