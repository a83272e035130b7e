package sealmark.log.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that is lost with a desk does not keep the others waiting at the end of each session. */
class DeskTest {
    @Test
    @Timeout(60)
    void aDeskThatIsLostIsWaitedForOnce() {
        Desk desk = new Desk() {};
        assertTrue(desk.tryTake());
        assertFalse(desk.takeWithin(TimeUnit.MILLISECONDS.toNanos(50)));
        assertFalse(desk.takeWithin(TimeUnit.HOURS.toNanos(1)));
        desk.giveBack();
        assertTrue(desk.takeSoon());
        desk.giveBack();
        assertTrue(desk.takeSoon());
    }
}
