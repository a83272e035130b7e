package sealmark.log.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import sealmark.log.Label;

/** All that native sessions do, by calls without JNI. */
class LinkedSessionTest extends NativeSessionTest {
    @BeforeAll
    static void itIsHere() {
        assumeTrue(Runtime.version().feature() >= 24, "java.lang.foreign asks for a permission of its own before Java 24");
        assertTrue(Linked.works());
    }

    @Override
    boolean isLinked() {
        return true;
    }

    @Test
    void aThreadOutOfStackLeavesItsSlotAndNoPlaintext() throws Exception {
        Session session = begin(0);
        for (int round = 0; round < 20; round++) {
            Thread deep = new Thread(null, () -> sealAtEachDepth(session, 0), "deep", 256 << 10);
            deep.start();
            deep.join();
        }
        noPlaintextIsLeftAtASlot();
        assertTrue(NativeSlot.passAll());
    }

    private static int sealAtEachDepth(Session session, int depth) {
        try {
            session.seal(Kind.ANY, Label.of("email"), "the secret that is nowhere");
            return depth == Integer.MAX_VALUE ? 0 : sealAtEachDepth(session, depth + 1) + 1;
        } catch (StackOverflowError | SealException error) {
            return 0;
        }
    }
}
