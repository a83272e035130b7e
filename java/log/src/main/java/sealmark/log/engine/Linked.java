package sealmark.log.engine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A call of the native library in which a slot's arrays are used where they lie: {@code java.lang.foreign} has such from
 * Java 22 on. It costs less than one of {@link NativeCalls}, and neither characters nor token are copied to and from a room.
 * JNI serves longer texts, older versions of Java, and every case in which something goes wrong here.
 *
 * <p>The garbage collector waits while the call goes on, so it takes what is short.
 */
final class Linked {
    /** From Java 24 on, loading the library asks for the same permission as this call; before, only the call does. */
    private static final int SINCE = 24;
    private static final boolean IS_WORTHWHILE = Runtime.version().feature() >= SINCE && isCompiledWell();
    /** A method handle compiles itself once it was called for so many times: better now than amid a log call. */
    private static final int USUAL = 200;

    private static final AtomicBoolean BEGUN = new AtomicBoolean();

    private Linked() {}

    /** Interpreted, or by the quick compiler alone, the call takes longer than one of JNI. */
    private static boolean isCompiledWell() {
        String how = System.getProperty("java.vm.info", "");
        return how.startsWith("mixed mode") && !how.contains("emulated-client");
    }

    /** Found when somebody asks for it first, which takes a tenth of a second; null if it is not to be had. */
    private static final class Found {
        static final MethodHandle SEAL_CHARS = find();

        private static MethodHandle find() {
            try {
                return IS_WORTHWHILE ? sealChars() : null;
            } catch (ReflectiveOperationException | RuntimeException | LinkageError error) {
                return null;
            }
        }
    }

    /** Has values sealed this way as soon as that is possible, if ever. Returns false if that was asked for before. */
    static boolean begin() {
        boolean isFirst = IS_WORTHWHILE && BEGUN.compareAndSet(false, true);
        if (isFirst) {
            Thread beginning = new Thread(null, () -> NativeSlot.useLinked(works()), "sealmark-link", 0, false);
            beginning.setDaemon(true);
            beginning.setContextClassLoader(null);
            beginning.start();
        }
        return isFirst;
    }

    /** True if the call does what it should. */
    static boolean works() {
        try {
            int refusals = 0;
            Object none = Found.SEAL_CHARS == null ? null : segmentOf(new byte[0]);
            for (int time = 0; time < USUAL && none != null; time++) {
                refusals += sealChars(0, 0, 0, 0, none, 0, none, 0) == NativeCalls.LAYOUT ? 1 : 0;
            }
            return refusals == USUAL;
        } catch (Throwable error) {
            // Its thread is the application's no less: what handles uncaught errors may end the process.
            return false;
        }
    }

    /** The argument that stands for an array of bytes or characters in a call. It is kept, so that a call allocates nothing. */
    static Object segmentOf(Object array) {
        try {
            return foreign("MemorySegment").getMethod("ofArray", array.getClass()).invoke(null, array);
        } catch (ReflectiveOperationException error) {
            throw asIs(error.getCause() == null ? error : error.getCause());
        }
    }

    /**
     * Seals so many characters and wipes them; no JSON. The room is as {@link NativeSlot} says, and gets their UTF-8, which
     * is zero afterwards.
     *
     * @param chars the {@link #segmentOf} an array of characters
     * @param token that of an array with room for so many bytes
     * @return the token's length, or a negative number as of {@link NativeCalls#sealChars}
     */
    static int sealChars(
            long session, long room, int capacity, int label, Object chars, int count, Object token, int tokenRoom) {
        try {
            return (int) Found.SEAL_CHARS.invokeExact(session, room, capacity, label, chars, count, token, tokenRoom);
        } catch (Throwable error) {
            throw asIs(error);
        }
    }

    private static RuntimeException asIs(Throwable error) {
        if (error instanceof Error serious) {
            throw serious;
        }
        return error instanceof RuntimeException known ? known : new IllegalStateException(error);
    }

    /** The call, whose types are all found by name, because this is compiled for Java 17. */
    private static MethodHandle sealChars() throws ReflectiveOperationException {
        Class<?> linker = foreign("Linker");
        Class<?> option = foreign("Linker$Option");
        Class<?> segment = foreign("MemorySegment");
        Class<?> descriptor = foreign("FunctionDescriptor");
        Object ints = layout("JAVA_INT");
        Object longs = layout("JAVA_LONG");
        Object arrays = layout("ADDRESS");
        Object parameters = arrayOf(foreign("MemoryLayout"), longs, longs, ints, ints, arrays, ints, arrays, ints);
        Object function = descriptor.getMethod("of", foreign("MemoryLayout"), parameters.getClass())
                .invoke(null, ints, parameters);
        Object options = arrayOf(option, option.getMethod("critical", boolean.class).invoke(null, true));
        Object address = segment.getMethod("ofAddress", long.class).invoke(null, NativeCalls.linkedSealChars());
        MethodHandle handle = (MethodHandle) linker.getMethod("downcallHandle", segment, descriptor, options.getClass())
                .invoke(linker.getMethod("nativeLinker").invoke(null), address, function, options);
        return handle.asType(MethodType.methodType(int.class, long.class, long.class, int.class, int.class,
                Object.class, int.class, Object.class, int.class));
    }

    private static Class<?> foreign(String name) throws ClassNotFoundException {
        return Class.forName("java.lang.foreign." + name);
    }

    private static Object layout(String name) throws ReflectiveOperationException {
        return foreign("ValueLayout").getField(name).get(null);
    }

    private static Object arrayOf(Class<?> type, Object... elements) {
        Object array = Array.newInstance(type, elements.length);
        System.arraycopy(elements, 0, array, 0, elements.length);
        return array;
    }
}
