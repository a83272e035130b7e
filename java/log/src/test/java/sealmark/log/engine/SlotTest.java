package sealmark.log.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that is lost with a slot does not keep the others waiting at the end of each session. */
class SlotTest {
    @Test
    @Timeout(60)
    void aSlotThatIsLostIsWaitedForOnce() {
        Slot slot = new Slot() {};
        assertTrue(slot.tryTake());
        assertFalse(slot.takeWithin(TimeUnit.MILLISECONDS.toNanos(50)));
        assertFalse(slot.takeWithin(TimeUnit.HOURS.toNanos(1)));
        slot.giveBack();
        assertTrue(slot.takeSoon());
        slot.giveBack();
        assertTrue(slot.takeSoon());
    }
}
