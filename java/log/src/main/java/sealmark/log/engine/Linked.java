package sealmark.log.engine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Calls of the native library in which arrays are used where they lie: {@code java.lang.foreign} has them from Java 22 on.
 * A call costs less so, and nothing is copied on its way in or out. Without them there is {@link NativeCalls}, on older
 * versions of Java and wherever something goes wrong here.
 *
 * <p>The garbage collector waits while such a call goes on, so it takes what is short.
 */
final class Linked {
    /** From this one on, loading the library asks for the same permission as these calls; before, only they do. */
    private static final boolean IS_NEW = Runtime.version().feature() >= 24;
    /** As crates/sealmark-jni has it. */
    private static final int CHARS = 0;
    private static final int BYTES = 1;
    /** Method handles compile themselves once they have been called for so many times: better now than amid a log call. */
    private static final int USUAL = 200;

    private static final AtomicBoolean BEGUN = new AtomicBoolean();

    private Linked() {}

    /** Found when somebody asks for it first, which takes a tenth of a second. */
    private static final class Found {
        static final MethodHandle SEAL_CHARS;
        static final MethodHandle SEAL_BYTES;

        static {
            MethodHandle[] found = IS_NEW ? find() : new MethodHandle[2];
            SEAL_CHARS = found[CHARS];
            SEAL_BYTES = found[BYTES];
        }
    }

    /** Has values sealed this way as soon as that is possible, if ever; nobody waits for it. */
    static void begin() {
        if (IS_NEW && BEGUN.compareAndSet(false, true)) {
            new Beginning().start();
        }
    }

    private static final class Beginning extends Thread {
        private Beginning() {
            super(null, null, "sealmark-link", 0, false);
            setDaemon(true);
            setContextClassLoader(null);
        }

        @Override
        public void run() {
            NativeDesk.useLinked(works());
        }
    }

    /** Whether the calls below do what they should. */
    static boolean works() {
        try {
            int refusals = 0;
            for (int time = 0; time < USUAL && Found.SEAL_BYTES != null; time++) {
                refusals += sealChars(0, 0, 0, 0, new char[0], 0, new byte[0]) == NativeCalls.LAYOUT ? 1 : 0;
                refusals += sealBytes(0, 0, 0, 0, new byte[0], 0, 0, new byte[0], 0) == NativeCalls.LAYOUT ? 1 : 0;
            }
            return refusals == 2 * USUAL;
        } catch (RuntimeException | LinkageError error) {
            return false;
        }
    }

    /** As {@link NativeCalls#sealChars}, but for the characters and the token, which are arrays. Any value, and no JSON. */
    static int sealChars(long session, long room, int capacity, int label, char[] chars, int count, byte[] token) {
        try {
            return (int) Found.SEAL_CHARS.invokeExact(session, room, capacity, label, chars, count, token, token.length);
        } catch (Throwable error) {
            throw asIs(error);
        }
    }

    /** As {@link NativeCalls#sealInArrays}. */
    static int sealBytes(
            long session, long room, int capacity, int label, byte[] value, int offset, int length, byte[] out, int at) {
        try {
            return (int) Found.SEAL_BYTES.invokeExact(
                    session, room, capacity, label, value, offset, length, out, at, out.length - at);
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

    /** Everything is looked up by its name, as this is compiled for Java 17. */
    private static MethodHandle[] find() {
        try {
            Api api = new Api();
            return new MethodHandle[] {
                api.handle(CHARS, "JJIIAIAI", MethodType.methodType(int.class, long.class, long.class, int.class, int.class,
                        char[].class, int.class, byte[].class, int.class)),
                api.handle(BYTES, "JJIIAIIAII", MethodType.methodType(int.class, long.class, long.class, int.class,
                        int.class, byte[].class, int.class, int.class, byte[].class, int.class, int.class)),
            };
        } catch (ReflectiveOperationException | RuntimeException | LinkageError error) {
            return new MethodHandle[2];
        }
    }

    /** What {@code java.lang.foreign} has. */
    private static final class Api {
        private final MethodHandles.Lookup lookup = MethodHandles.lookup();
        private final Class<?> linker = named("Linker");
        private final Class<?> option = named("Linker$Option");
        private final Class<?> segment = named("MemorySegment");
        private final Class<?> layout = named("MemoryLayout");
        private final Class<?> descriptor = named("FunctionDescriptor");

        private Api() throws ClassNotFoundException {}

        private static Class<?> named(String name) throws ClassNotFoundException {
            return Class.forName("java.lang.foreign." + name);
        }

        /**
         * A function of the library that returns an int.
         *
         * @param parameters J for a long, I for an int, A for an array
         */
        private MethodHandle handle(int number, String parameters, MethodType type) throws ReflectiveOperationException {
            MethodHandle handle = downcall(number, parameters);
            for (int at = 0; at < parameters.length(); at++) {
                if (parameters.charAt(at) == 'A') {
                    MethodHandle wrap = lookup.findStatic(
                            segment, "ofArray", MethodType.methodType(segment, type.parameterType(at)));
                    handle = MethodHandles.filterArguments(handle, at, wrap);
                }
            }
            return handle.asType(type);
        }

        private MethodHandle downcall(int number, String parameters) throws ReflectiveOperationException {
            Object function = descriptor.getMethod("of", layout, layout.arrayType())
                    .invoke(null, layout('I'), layouts(parameters));
            Object options = Array.newInstance(option, 1);
            Array.set(options, 0, option.getMethod("critical", boolean.class).invoke(null, true));
            Object address = segment.getMethod("ofAddress", long.class).invoke(null, NativeCalls.entry(number));
            return (MethodHandle) linker.getMethod("downcallHandle", segment, descriptor, options.getClass())
                    .invoke(linker.getMethod("nativeLinker").invoke(null), address, function, options);
        }

        private Object layouts(String parameters) throws ReflectiveOperationException {
            Object layouts = Array.newInstance(layout, parameters.length());
            for (int at = 0; at < parameters.length(); at++) {
                Array.set(layouts, at, layout(parameters.charAt(at)));
            }
            return layouts;
        }

        private static Object layout(char letter) throws ReflectiveOperationException {
            String name = letter == 'J' ? "JAVA_LONG" : letter == 'I' ? "JAVA_INT" : "ADDRESS";
            return named("ValueLayout").getField(name).get(null);
        }
    }
}
