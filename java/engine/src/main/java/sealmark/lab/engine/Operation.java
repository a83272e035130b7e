package sealmark.lab.engine;

import java.util.Arrays;

/**
 * One direction of a job. The loop over the operations is inside {@link #repeat}, in each subclass anew, so that
 * nothing but the loop stands between two operations and its types stay the few that this process needs.
 */
abstract class Operation {
    /** What is worked on. */
    protected byte[] input;

    /** The last output, in its first {@link #length} bytes: a field, so that no compiler can leave the work out. */
    protected byte[] output;

    protected int length;

    /** Gets ready for a span that starts with operation {@code first}: what is not timed. */
    void begin(byte[] bytes, long first) throws Exception {
        input = bytes;
        output = null;
    }

    /** Does the operations {@code first} to {@code first + count − 1}: what is timed. */
    abstract void repeat(long first, long count) throws Exception;

    /** Looks back after a span, when the clock has stopped. */
    void end() throws Trouble {}

    /** Forgets an instance that a failed operation may have left in the middle of its work. */
    void recover() {}

    /** The last output in an array of its own length. */
    byte[] result() {
        return output.length == length ? output : Arrays.copyOf(output, length);
    }

    /** Keeps a whole array as the last output. */
    protected final void keep(byte[] whole) {
        output = whole;
        length = whole.length;
    }
}
