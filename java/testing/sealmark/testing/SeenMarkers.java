package sealmark.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The markers in JMX that are written for want of a sealer. */
public final class SeenMarkers {
    private static final MBeanServer JMX = ManagementFactory.getPlatformMBeanServer();

    private SeenMarkers() {}

    /** True if it shows any. */
    public static boolean areThere() throws JMException {
        return JMX.isRegistered(name());
    }

    /** Asserts that so many are shown, as soon as the thread that shows them has done so. */
    public static void assertThereAre(long count) throws JMException, InterruptedException {
        for (int wait = 0; wait < 1_000 && !areThere(); wait++) {
            Thread.sleep(10);
        }
        assertTrue(areThere(), "no markers are seen over JMX");
        assertEquals(count, JMX.getAttribute(name(), "Failed"));
    }

    private static ObjectName name() throws JMException {
        return new ObjectName("sealmark:type=LogSealer,name=none");
    }
}
