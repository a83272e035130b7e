package sealmark.lab.engine;

import java.util.Arrays;

/**
 * One direction of a job. Each of the two loops calls {@link #once} for one direction alone, so that in one process it
 * sees one class and the JVM makes the work a part of it: nothing but the loop and a {@link Fence} stands between two
 * operations.
 */
abstract class Operation {
    /** The bytes that each operation works on. */
    protected byte[] input;

    /** The last output, in its first {@link #length} bytes. */
    protected byte[] output;

    protected int length;

    /** Gets ready for a span that starts with operation {@code first}: what is not timed. */
    void begin(byte[] bytes, long first) throws Exception {
        input = bytes;
        output = null;
    }

    /** Does the operations {@code first} to {@code first + count − 1}: what is timed of the way forward. */
    final void forward(long first, long count) throws Exception {
        for (long number = first; number != first + count; number++) {
            once(number);
            Fence.release();
        }
    }

    /** Does the operation {@code first} again and again: what is timed of the way back. */
    final void back(long first, long count) throws Exception {
        for (long done = 0; done != count; done++) {
            once(first);
            Fence.release();
        }
    }

    /** Does the operation {@code number}. */
    abstract void once(long number) throws Exception;

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
