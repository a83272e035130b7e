package sealmark.lab.engine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;

/**
 * The fence between two operations. It is no instruction on x86, but it forbids the compiler to put off what an operation
 * writes until a loop has ended, and with it to leave the loop out. Java 9 gave it a public name; before, it was one of the
 * JDK's own. A constant handle compiles to the call itself.
 */
final class Fence {
    private static final MethodType NOTHING = MethodType.methodType(void.class);
    private static final MethodHandle RELEASE = find();

    static {
        // The first call links the handle, which takes milliseconds that no span should have.
        release();
    }

    private Fence() {}

    static void release() {
        try {
            RELEASE.invokeExact();
        } catch (Throwable impossible) {
            throw new LinkageError("a fence throws nothing", impossible);
        }
    }

    private static MethodHandle find() {
        Lookup lookup = MethodHandles.publicLookup();
        try {
            try {
                return lookup.findStatic(Class.forName("java.lang.invoke.VarHandle"), "releaseFence", NOTHING);
            } catch (ClassNotFoundException java8) {
                Class<?> unsafe = Class.forName("sun.misc.Unsafe");
                Field only = unsafe.getDeclaredField("theUnsafe");
                only.setAccessible(true);
                return lookup.findVirtual(unsafe, "storeFence", NOTHING).bindTo(only.get(null));
            }
        } catch (ReflectiveOperationException error) {
            throw new LinkageError("this JVM has no fence", error);
        }
    }
}
