package sealmark.tomcat;

import java.io.CharArrayWriter;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The output of one element of the pattern, which is looked at before it goes into the line, and forgotten after that. */
final class ElementBuffer extends CharArrayWriter {
    /** Room for most request lines. */
    private static final int USUAL = 256;
    /** Longer ones are made anew each time. */
    private static final int LONGEST = 8192;

    private ElementBuffer() {
        super(USUAL);
    }

    /** The characters themselves; those behind {@link #length} are none. */
    char[] chars() {
        return buf;
    }

    int length() {
        return count;
    }

    /** Buffers that are not in use, so that a request does not leave three behind for the garbage collector. */
    static final class Pool {
        /** Powers of two; threads write to places in cache lines of their own. */
        private static final int PLACES = 64;
        private static final int APART = 32;

        private final AtomicReferenceArray<ElementBuffer> places = new AtomicReferenceArray<>(PLACES * APART);

        /** One with nothing in it, the calling thread's until it gives it back. */
        ElementBuffer take() {
            ElementBuffer found = places.getAndSet(place(), null);
            return found == null ? new ElementBuffer() : found;
        }

        /** Nothing of what was written stays in it. */
        void giveBack(ElementBuffer written) {
            Arrays.fill(written.buf, 0, written.count, '\0');
            written.count = 0;
            if (written.buf.length <= LONGEST) {
                places.setRelease(place(), written);
            }
        }

        private static int place() {
            return ((int) Thread.currentThread().getId() & (PLACES - 1)) * APART;
        }
    }
}
