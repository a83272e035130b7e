package sealmark.log.engine;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;

/** Counts the bytes that threads have taken of the heap. */
public final class Allocated {
    private Allocated() {}

    /** Bytes since the thread began; the module that tells is none that the library needs. */
    public static long byThisThread() throws ReflectiveOperationException {
        Class<?> threads = Class.forName("com.sun.management.ThreadMXBean");
        Method allocated = threads.getMethod("getThreadAllocatedBytes", long.class);
        return (long) allocated.invoke(ManagementFactory.getThreadMXBean(), Thread.currentThread().getId());
    }
}
