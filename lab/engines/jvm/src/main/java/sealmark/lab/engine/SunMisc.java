package sealmark.lab.engine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;

/**
 * {@code sun.misc.BASE64Encoder} and {@code BASE64Decoder}, of the published figures. The JDK had them up to version 8, and no
 * compiler gives them to a program that names them: constant handles call them as code of their time did, a new one for each
 * value, between bytes and a string.
 */
final class SunMisc extends Codec {
    private static final String ENCODER = "sun.misc.BASE64Encoder";
    private static final String DECODER = "sun.misc.BASE64Decoder";
    private static final int LINE = 57;
    private static final int CRLF = 2;

    SunMisc() {
        // It ends lines as the system does, and the lab compares with those of RFC 2045.
        System.setProperty("line.separator", "\r\n");
    }

    @Override
    public String version() {
        return ENCODER;
    }

    @Override
    Work asWritten(String algorithm) throws Trouble {
        if (!algorithm.equals("base64-mime")) {
            throw Trouble.unsupported(ENCODER + " breaks lines at 76 columns: base64-mime alone");
        }
        if (!isHere()) {
            throw Trouble.unsupported(ENCODER + " left the JDK in version 9; sun.misc-stand-in does similar work");
        }
        return work(ENCODER + " and " + DECODER + " of Java " + System.getProperty("java.version"), new Encode(), new Decode());
    }

    @Override
    Work tuned(String algorithm) throws Trouble {
        throw Trouble.unsupported(ENCODER + " has no way into a buffer and nothing worth keeping");
    }

    private static boolean isHere() {
        try {
            Class.forName(ENCODER);
            return true;
        } catch (ClassNotFoundException error) {
            return false;
        }
    }

    private static MethodHandle maker(String name) throws ReflectiveOperationException {
        MethodHandle constructor =
                MethodHandles.publicLookup().findConstructor(Class.forName(name), MethodType.methodType(void.class));
        return constructor.asType(MethodType.methodType(Object.class));
    }

    private static MethodHandle method(String type, String name, Class<?> result, Class<?> argument)
            throws ReflectiveOperationException {
        MethodHandle method =
                MethodHandles.publicLookup().findVirtual(Class.forName(type), name, MethodType.methodType(result, argument));
        return method.asType(MethodType.methodType(result, Object.class, argument));
    }

    private static Exception exception(Throwable error) {
        if (error instanceof Error) {
            throw (Error) error;
        }
        return (Exception) error;
    }

    private static final class Encode extends Operation {
        private static final MethodHandle NEW;
        private static final MethodHandle ENCODE;

        static {
            try {
                NEW = maker(ENCODER);
                ENCODE = method(ENCODER, "encode", String.class, byte[].class);
            } catch (ReflectiveOperationException error) {
                throw new LinkageError(ENCODER + " is another than it was", error);
            }
        }

        private String text;

        @Override
        void once(long number) throws Exception {
            try {
                text = (String) ENCODE.invokeExact((Object) NEW.invokeExact(), input);
            } catch (Throwable error) {
                throw exception(error);
            }
        }

        /** Leaves off the end of a last line that is full, as RFC 2045 does. */
        @Override
        void end() {
            keep(text.getBytes(StandardCharsets.ISO_8859_1));
            length -= input.length > 0 && input.length % LINE == 0 ? CRLF : 0;
        }
    }

    private static final class Decode extends Operation {
        private static final MethodHandle NEW;
        private static final MethodHandle DECODE;

        static {
            try {
                NEW = maker(DECODER);
                DECODE = method(DECODER, "decodeBuffer", byte[].class, String.class);
            } catch (ReflectiveOperationException error) {
                throw new LinkageError(DECODER + " is another than it was", error);
            }
        }

        private String text;

        @Override
        void begin(byte[] bytes, long first) throws Exception {
            super.begin(bytes, first);
            text = new String(bytes, StandardCharsets.ISO_8859_1);
        }

        @Override
        void once(long number) throws Exception {
            try {
                keep((byte[]) DECODE.invokeExact((Object) NEW.invokeExact(), text));
            } catch (Throwable error) {
                throw exception(error);
            }
        }
    }
}
